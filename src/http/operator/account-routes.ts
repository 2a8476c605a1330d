/** Routes of accounts and tokens: list, make, change, take away. */
import { Type } from 'typebox'
import {
  Account,
  AccountName,
  AccountQuery,
  ChangedAccount,
  MadeToken,
  NewAccount,
  NewToken,
  OwnPassword,
  Token,
  TokenQuery,
  toAccount,
  toToken,
} from '../../api/account.ts'
import { addAccount, changeAccount, makeToken, removeAccount, revokeToken } from '../../broker/accounts.ts'
import { present } from '../../kit/present.ts'
import { type Grant, permits } from '../../model/access.ts'
import { reservedAccounts } from '../../model/account.ts'
import { operatorsPlatform } from '../../model/instance.ts'
import { fail, failAll } from '../../model/problem.ts'
import type { Account as Caller } from '../authenticate.ts'
import { freshId } from './fresh-id.ts'
import type { OperatorPorts } from './ports.ts'
import { document, look, nothing, order, route } from './route.ts'

const AccountAddress = Type.Object({ account: AccountName })
const TokenAddress = Type.Object({ token: Type.String() })

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const usualDays = 90

export const accountRoutes = [
  route({
    method: 'GET',
    url: '/accounts',
    needs: 'read:accounts',
    tag: 'access',
    summary: 'Accounts of the store, in the order of names; those of the configuration are listed there',
    audit: look,
    query: AccountQuery,
    answers: Type.Object({ items: Type.Array(Account), next: Type.Optional(Type.String()) }),
    handle: async ({ query: { limit = 50, after = '' } }, { broker }) => {
      const items = await broker.store.look.accounts({ after, most: limit })
      return document(pageOf(items.map(toAccount), limit, ({ name }) => name))
    },
  }),
  route({
    method: 'POST',
    url: '/accounts',
    needs: 'change:accounts',
    tag: 'access',
    summary: 'Make an account; of its password only a hash is kept',
    audit: order('account.add'),
    body: NewAccount,
    answers: Account,
    status: 201,
    handle: async ({ body, asker }, ports) => {
      const { kind = 'user', tenant, grants, ...rest } = body
      refuseRoles(ports, grants)
      if (
        [...reservedAccounts, operatorsPlatform].includes(body.name) ||
        ports.gate.named(body.name) !== undefined
      )
        fail('account.exists', body.name)
      const wanted = { ...rest, kind, grants, ...present({ tenant }) }
      return document(toAccount(await addAccount(ports.broker, asker, wanted)))
    },
  }),
  route({
    method: 'PATCH',
    url: '/accounts/:account',
    needs: 'change:accounts',
    tag: 'access',
    summary: 'Change the password or the roles of an account, or end its sessions',
    audit: order('account.change'),
    params: AccountAddress,
    body: ChangedAccount,
    answers: Account,
    handle: async ({ params, body, asker }, ports) => {
      const { endSessions: endsSessions = false, keepFormerHours: hours, ...change } = body
      refuseRoles(ports, body.grants ?? [])
      if (hours !== undefined && body.password === undefined)
        fail('request.malformed', 'keepFormerHours goes with a new password')
      const keepFormerMs = (hours ?? 0) * hourMs
      const wanted = { ...change, endsSessions, keepFormerMs }
      const changed = await changeAccount(ports.broker, asker, params.account, wanted)
      return document(toAccount(changed))
    },
  }),
  route({
    method: 'DELETE',
    url: '/accounts/:account',
    needs: 'change:accounts',
    tag: 'access',
    summary: 'Take an account away, with its tokens and sessions',
    audit: order('account.remove'),
    params: AccountAddress,
    status: 204,
    handle: async ({ params, asker }, { broker }) => {
      await removeAccount(broker, asker, params.account)
      return nothing
    },
  }),
  route({
    method: 'POST',
    url: '/password',
    needs: 'read:broker',
    tag: 'access',
    summary: 'Change the password of the account that asks',
    audit: order('account.set-password'),
    body: OwnPassword,
    status: 204,
    handle: async ({ account, body, asker }, { broker, admission }) => {
      const { name, token } = account
      if (token !== undefined) fail('request.forbidden', 'a token changes no password')
      if ((await broker.store.look.account(name)) === undefined) fail('account.unknown', name)
      if (!(await admission.confirm(name, body.current))) fail('account.password-wrong')
      await changeAccount(broker, asker, name, { password: body.password })
      return nothing
    },
  }),
  route({
    method: 'GET',
    url: '/tokens',
    needs: 'create:tokens',
    tag: 'access',
    summary: 'Tokens of the account that asks, or of all; never their texts',
    audit: look,
    query: TokenQuery,
    answers: Type.Object({ items: Type.Array(Token), next: Type.Optional(Type.String()) }),
    handle: async ({ account, query: { limit = 50, after = '', all = false } }, { broker }) => {
      if (all && !permits(account.access, 'read:accounts', undefined))
        fail('request.forbidden', 'read:accounts is needed')
      const whose = all ? {} : { account: account.name }
      const items = await broker.store.look.tokens({ ...whose, after, most: limit })
      return document(pageOf(items.map(toToken), limit, ({ id }) => id))
    },
  }),
  route({
    method: 'POST',
    url: '/tokens',
    needs: 'create:tokens',
    tag: 'access',
    summary: 'Make a token for the account that asks; its text is told this once',
    audit: order('token.create'),
    body: NewToken,
    answers: MadeToken,
    repeats: 'anew',
    status: 201,
    handle: async ({ account, body, asker, idempotencyKey }, ports) => {
      // It would outlive the one it was made with.
      if (account.token !== undefined) fail('request.forbidden', 'a token makes no tokens')
      if (account.claimed !== undefined)
        fail('request.forbidden', 'whose roles come from an identity provider has no tokens here')
      const { name, grants = [], days = usualDays, account: owner = account.name } = body
      refuseRoles(ports, grants)
      if (owner !== account.name) await checkOwner(ports, account, owner)
      const id = freshId(ports.broker.chance, asker.account.id, idempotencyKey)
      const wanted = { id, name, account: owner, grants, forMs: days * dayMs }
      const { token, text } = await makeToken(ports.broker, asker, wanted)
      return { kind: 'document', body: { ...toToken(token), token: text } }
    },
  }),
  route({
    method: 'DELETE',
    url: '/tokens/:token',
    needs: 'create:tokens',
    tag: 'access',
    summary: 'Take a token away: one of the account that asks, or of any with `change:accounts`',
    audit: order('token.revoke'),
    params: TokenAddress,
    status: 204,
    handle: async ({ account, params, asker }, { broker }) => {
      const [found] = await broker.store.look.tokens({ id: params.token, most: 1 })
      const isOurs = found?.account === account.name || permits(account.access, 'change:accounts', undefined)
      if (found === undefined || !isOurs) return fail('token.unknown', params.token)
      await revokeToken(broker, asker, found)
      return nothing
    },
  }),
]

/** A token for another account: only for one that is there, and by an account that could set its password as well. */
async function checkOwner({ gate, broker }: OperatorPorts, { access }: Caller, owner: string): Promise<void> {
  if (!permits(access, 'change:accounts', undefined))
    fail('request.forbidden', 'change:accounts is needed for a token of another account')
  if (gate.named(owner) === undefined && (await broker.store.look.account(owner)) === undefined)
    fail('account.unknown', owner)
}

function pageOf<T>(items: readonly T[], most: number, mark: (last: T) => string) {
  const last = items.length === most ? items.at(-1) : undefined
  return { items, ...(last === undefined ? {} : { next: mark(last) }) }
}

function refuseRoles({ gate }: Pick<OperatorPorts, 'gate'>, grants: readonly Grant[]): void {
  const known = gate.roles()
  failAll(
    grants.flatMap(({ role }, i) =>
      known.has(role)
        ? []
        : [
            {
              code: 'request.malformed' as const,
              detail: `there is no role ${role}; known: ${[...known.keys()].join(', ')}`,
              where: { source: 'body', pointer: `/grants/${i}/role` },
            },
          ],
    ),
  )
}
