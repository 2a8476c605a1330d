/** What holds for the broker as such and orders nothing: credentials, versions, identities, unknown ids. */
import { Secret } from '../../../kit/secret.ts'
import { authorizationOf } from '../../credentials.ts'
import type { OfferedPlan } from '../offers.ts'
import { bindingThing, idsOf, instanceThing } from '../orders.ts'
import type { Session } from '../session.ts'

const catalog = { method: 'GET', path: '/v2/catalog' } as const

export async function probeBroker(session: Session, plans: readonly OfferedPlan[]): Promise<void> {
  await probeAuthentication(session)
  await probeVersions(session)
  await probeIdentities(session)
  await probeUnknown(session, plans)
}

async function probeAuthentication(session: Session): Promise<void> {
  const { connection } = session
  if (connection.credentials === undefined) {
    for (const rule of ['authentication.missing', 'authentication.wrong'] as const)
      session.miss(rule, 'the check has no credentials')
    return
  }
  const missing = await session.send({ ...catalog, headers: { Authorization: undefined } })
  session.judge('authentication.missing', missing, missing.answer.status === 401, '401')
  const stranger = { user: 'chandler-check-nobody', password: new Secret('chandler-check-wrong') }
  const wrong = await session.send({ ...catalog, headers: { Authorization: authorizationOf(stranger) } })
  session.judge('authentication.wrong', wrong, wrong.answer.status === 401, '401')
}

async function probeVersions(session: Session): Promise<void> {
  const versions: readonly (readonly [string | undefined, readonly number[]])[] = [
    [undefined, [200, 400, 412]],
    ['1.0', [200, 412]],
    ['2.99', [200, 412]],
    ['3.0', [200, 412]],
  ]
  for (const [version, statuses] of versions) {
    const sent = await session.send({ ...catalog, headers: { 'X-Broker-API-Version': version } })
    session.judge('version.refused', sent, statuses.includes(sent.answer.status), statuses.join(', '))
  }
}

async function probeIdentities(session: Session): Promise<void> {
  if (session.minor >= 13) {
    const user = Buffer.from(JSON.stringify({ user_id: session.id('user') })).toString('base64')
    const sent = await session.send({
      ...catalog,
      headers: { 'X-Broker-API-Originating-Identity': `cloudfoundry ${user}` },
    })
    session.judge('identity.origin', sent, sent.answer.status === 200, '200')
  }
  if (session.minor >= 15) {
    const identity = session.id('request')
    const sent = await session.send({ ...catalog, headers: { 'X-Broker-API-Request-Identity': identity } })
    const got = sent.answer.headers['x-broker-api-request-identity'] ?? 'no such header'
    session.judge('identity.request', sent, got === identity, { expected: identity, got })
  }
}

async function probeUnknown(session: Session, plans: readonly OfferedPlan[]): Promise<void> {
  const [plan] = plans
  if (plan === undefined) return
  const instance = instanceThing(plan, session.id('unknown'))
  const binding = bindingThing(instance, session.id('unknown', 'binding'))
  const things = session.minor >= 14 ? [instance, binding] : [instance]
  for (const thing of things) {
    const polled = await session.send({
      method: 'GET',
      path: `${thing.path}/last_operation`,
      query: idsOf(thing),
    })
    const ofBindings = thing === binding && !plans.some((one) => one.bindable && one.bindingsRetrievable)
    const { status } = polled.answer
    // A broker that does nothing with bindings in the background need not know the address.
    const fits = status === 404 || status === 410 || (ofBindings && status < 500 && status >= 400)
    session.judge('poll.unknown', polled, fits, '404, or 410')
  }
  const fetched = [
    ...(plans.some((one) => one.instancesRetrievable) ? [instance] : []),
    ...(plans.some((one) => one.bindingsRetrievable) ? [binding] : []),
  ]
  if (fetched.length === 0) session.miss('fetch.unknown', 'nothing can be fetched')
  for (const thing of fetched) {
    const sent = await session.send({ method: 'GET', path: thing.path })
    session.judge('fetch.unknown', sent, sent.answer.status === 404, '404')
  }
}
