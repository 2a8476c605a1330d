/** Accounts and their tokens, with which requests are made. */
import { Type } from 'typebox'
import { present } from '../kit/present.ts'
import type { Grant as ModelGrant } from '../model/access.ts'
import type { ApiToken, StoredAccount } from '../model/account.ts'
import { Moment, moment, type Of, PageQuery } from './words.ts'

export const Grant = Type.Object(
  {
    role: Type.String({ minLength: 1, maxLength: 64 }),
    tenant: Type.String({
      maxLength: 300,
      pattern: '^(?:\\*|[^\\s*]+(?:/\\*)?)$',
      description: 'A name, `NAME/*` for all below one, `*` for all.',
    }),
  },
  { title: 'Grant', additionalProperties: false },
)

const Grants = Type.Array(Grant, { maxItems: 100 })

const Password = Type.String({ minLength: 12, maxLength: 1000 })

export const AccountName = Type.String({ pattern: '^[^\\s:/]{1,64}$' })

const Kind = Type.Union([Type.Literal('platform'), Type.Literal('user')])

export const Account = Type.Object(
  {
    name: Type.String(),
    kind: Kind,
    grants: Type.Array(Grant),
    tenant: Type.Optional(
      Type.String({ description: 'What everything that the platform orders belongs to.' }),
    ),
    createdAt: Moment,
    changedAt: Moment,
  },
  { title: 'Account' },
)
export type Account = Of<typeof Account>

export const NewAccount = Type.Object(
  {
    name: AccountName,
    password: Password,
    kind: Type.Optional(Kind),
    grants: Grants,
    tenant: Type.Optional(Type.String({ minLength: 1, maxLength: 300, pattern: '^[^\\s*]+$' })),
  },
  { title: 'NewAccount', additionalProperties: false },
)
export type NewAccount = Of<typeof NewAccount>

export const ChangedAccount = Type.Object(
  {
    password: Type.Optional(Password),
    keepFormerHours: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 720,
        description: 'How long the password of before stays valid beside a new one.',
      }),
    ),
    grants: Type.Optional(Grants),
    endSessions: Type.Optional(Type.Boolean({ description: 'Whoever is logged in has to do so again.' })),
  },
  { title: 'ChangedAccount', additionalProperties: false, minProperties: 1 },
)
export type ChangedAccount = Of<typeof ChangedAccount>

export const OwnPassword = Type.Object(
  { current: Type.String({ maxLength: 1000 }), password: Password },
  { title: 'OwnPassword', additionalProperties: false },
)
export type OwnPassword = Of<typeof OwnPassword>

export const AccountQuery = Type.Object({
  limit: PageQuery.limit,
  after: Type.Optional(Type.String({ description: 'Those behind this name.' })),
})

export function toAccount({ name, kind, grants, tenant, createdAt, changedAt }: StoredAccount): Account {
  return present({
    ...{ name, kind, grants, tenant },
    createdAt: moment(createdAt),
    changedAt: moment(changedAt),
  })
}

export const Token = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    account: Type.String({ description: 'Whose it is; it may never do more than its account may.' }),
    grants: Type.Array(Grant, { description: 'What it is bounded to; none: whatever its account may.' }),
    createdAt: Moment,
    expiresAt: Moment,
    usedAt: Type.Optional(Moment),
  },
  { title: 'Token' },
)
export type Token = Of<typeof Token>

/** The longest a token lasts, in days. */
const longestDays = 366

export const NewToken = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100 }),
    grants: Type.Optional(Grants),
    account: Type.Optional(
      Type.String({
        description:
          'Whose it shall be, with `change:accounts`: of a platform, say. The one that asks, when absent.',
      }),
    ),
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: longestDays, default: 90, description: 'How long it lasts.' }),
    ),
  },
  { title: 'NewToken', additionalProperties: false },
)
export type NewToken = Of<typeof NewToken>

export const MadeToken = Type.Object(
  { ...Token.properties, token: Type.String({ description: 'Shown this once.' }) },
  { title: 'MadeToken' },
)
export type MadeToken = Of<typeof MadeToken>

export const TokenQuery = Type.Object({
  limit: PageQuery.limit,
  after: Type.Optional(Type.String({ description: 'Those behind this id.' })),
  all: Type.Optional(Type.Boolean({ description: 'Those of all accounts, not only of the one that asks.' })),
})

export function toToken(token: ApiToken): Token {
  const { id, name, account, grants, createdAt, expiresAt, usedAt } = token
  return present({
    ...{ id, name, account, grants: grants as ModelGrant[] },
    createdAt: moment(createdAt),
    expiresAt: moment(expiresAt),
    usedAt: usedAt === undefined ? undefined : moment(usedAt),
  })
}
