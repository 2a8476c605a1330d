/** Logins at an identity provider: what is offered, the way there, and the way back with a session. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { recordDeed } from '../../broker/govern.ts'
import { toProblem } from '../../model/problem.ts'
import { actorOf } from '../authenticate.ts'
import { callbackPath, passMs } from '../oidc/oidc.ts'
import { requestIdOf } from '../request-id.ts'
import { setCookie } from '../sessions.ts'
import { mannerOf } from './manner.ts'
import type { OperatorPorts } from './ports.ts'

/** Asked for without an account, for there is none yet. */
export const loginPaths = ['/api/login', '/api/login/oidc', callbackPath] as const

const passCookie = 'chandler-login'

export function addLoginPages(app: FastifyInstance, ports: OperatorPorts): void {
  const [offered, begins, comesBack] = loginPaths
  const hidden = { schema: { hide: true } }
  app.get(offered, hidden, (_request, reply) => {
    const oidc = ports.oidc.offer()
    return reply.send(oidc === undefined ? {} : { oidc })
  })
  app.get(begins, hidden, async (request, reply) => {
    const to = placeIn(ports, new URL(request.url, 'http://here').searchParams.get('to'))
    const { location, pass } = await ports.oidc.begin(to)
    return reply.header('Set-Cookie', keep(ports, request, pass)).redirect(location)
  })
  app.get(comesBack, hidden, (request, reply) => comeBack(ports, request, reply))
}

async function comeBack(
  ports: OperatorPorts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  reply.header('Referrer-Policy', 'no-referrer')
  const requestId = requestIdOf(request.headers, ports.broker)
  const source = ports.source(request.raw)
  const asker = { platform: '', requestId, source }
  try {
    const { account, to } = await counted(ports, source, () =>
      ports.oidc.end(new URL(request.url, 'http://here').searchParams, passIn(request)),
    )
    await recordDeed(
      ports.broker,
      { ...asker, account: actorOf(account) },
      { action: 'session.begin', kind: 'account', id: account.name },
    )
    const kept = setCookie(ports.sessions.begin(account), mannerOf(ports, request.raw))
    const cookies = [kept, keep(ports, request, undefined)]
    return reply.header('Set-Cookie', cookies).redirect(to)
  } catch (error) {
    const { code } = toProblem(error)
    const unknown = { ...asker, account: { kind: 'user', id: 'unknown' } } as const
    ports.observe.refused({
      asker: unknown,
      deed: { action: 'login.failed', kind: 'account', id: 'unknown', refusal: { denied: true, code } },
    })
    if (code === 'internal.unexpected') throw error
    return reply
      .header('Set-Cookie', keep(ports, request, undefined))
      .redirect(`${ports.pathPrefix}/ui/?login=${code}`)
  }
}

/** Each asks the provider: an address that comes back with wrong codes is a guesser. */
async function counted<T>(ports: OperatorPorts, source: string, work: () => Promise<T>): Promise<T> {
  let result: { readonly value: T } | undefined
  let refusal: unknown
  await ports.admission.prove(`oidc:${source}`, () =>
    work().then(
      (value) => {
        result = { value }
        return true
      },
      (error: unknown) => {
        refusal = error
        return false
      },
    ),
  )
  if (result === undefined) throw refusal
  return result.value
}

/** A page of the UI, whatever else is asked for: no browser is led elsewhere. */
function placeIn({ pathPrefix }: Pick<OperatorPorts, 'pathPrefix'>, to: string | null): string {
  const home = `${pathPrefix}/ui/`
  if (to === null || !/^[\w\-./~%?&=+:@,]{1,500}$/.test(to)) return home
  const url = URL.parse(to, 'http://here.invalid')
  const isOurs = url?.origin === 'http://here.invalid' && url.pathname.startsWith(home)
  return isOurs ? url.pathname + url.search : home
}

function passIn({ headers }: FastifyRequest): string | undefined {
  const pairs = headers.cookie?.split(';').map((pair) => pair.trim().split('=')) ?? []
  return pairs.find(([name]) => name === passCookie)?.[1]
}

/** Lax, for the provider sends the browser back; without a pass it is taken away. */
function keep(ports: OperatorPorts, { raw }: FastifyRequest, pass: string | undefined): string {
  return [
    `${passCookie}=${pass ?? ''}`,
    `Path=${ports.pathPrefix}/api/login`,
    'HttpOnly',
    'SameSite=Lax',
    `Max-Age=${pass === undefined ? 0 : passMs / 1000}`,
    ...(ports.isEncrypted(raw) ? ['Secure'] : []),
  ].join('; ')
}
