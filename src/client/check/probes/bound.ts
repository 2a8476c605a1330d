/** What a binding hands out: of the right shape, and nothing that the service has no permission for. */
import { isObject } from '../../../kit/json.ts'
import { type Exchange, member } from '../exchange.ts'
import type { OfferedPlan } from '../offers.ts'
import type { Session } from '../session.ts'

export function judgeBound(session: Session, plan: OfferedPlan, exchange: Exchange): void {
  const { answer } = exchange
  const credentials = member(answer, 'credentials')
  const needed = plan.requires.length === 0
  session.judge(
    'bind.credentials',
    exchange,
    isObject(credentials) || (credentials === undefined && !needed),
    needed ? 'an object' : 'an object, or nothing',
  )
  const flawed = permissions.flatMap(({ permission, name, fits }) => {
    const value = member(answer, name)
    if (value === undefined || value === null) return []
    if (!plan.requires.includes(permission)) return [`${name} without ${permission}`]
    return fits(value) ? [] : [`${name} is malformed`]
  })
  session.judge('bind.permissions', exchange, flawed.length === 0, {
    expected: 'what requires allows, well-formed',
    got: flawed.join(', '),
  })
  const endpoints = member(answer, 'endpoints')
  session.judge('bind.endpoints', exchange, endpoints === undefined || areEndpoints(endpoints), {
    expected: 'a list of {host, ports: ["443"]}',
    got: JSON.stringify(endpoints),
  })
  judgeMetadata(session, exchange)
}

type Test = (value: unknown) => boolean

const isText: Test = (value) => typeof value === 'string' && value !== ''

const areMounts: Test = (value) =>
  Array.isArray(value) &&
  value.every(
    (mount) =>
      isObject(mount) &&
      isText(mount['driver']) &&
      isText(mount['container_dir']) &&
      (mount['mode'] === 'r' || mount['mode'] === 'rw') &&
      mount['device_type'] === 'shared' &&
      isObject(mount['device']) &&
      isText(mount['device']['volume_id']),
  )

const permissions = [
  { permission: 'syslog_drain', name: 'syslog_drain_url', fits: isText },
  { permission: 'route_forwarding', name: 'route_service_url', fits: isText },
  { permission: 'volume_mount', name: 'volume_mounts', fits: areMounts },
]

const ports = /^\d{1,5}(?:-\d{1,5})?$/

const areEndpoints: Test = (value) =>
  Array.isArray(value) &&
  value.every(
    (one) =>
      isObject(one) &&
      isText(one['host']) &&
      Array.isArray(one['ports']) &&
      one['ports'].length > 0 &&
      one['ports'].every((port) => typeof port === 'string' && ports.test(port)) &&
      [undefined, 'tcp', 'udp', 'all'].includes(one['protocol'] as string | undefined),
  )

const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

function judgeMetadata(session: Session, exchange: Exchange): void {
  const metadata = member(exchange.answer, 'metadata')
  const { expires_at: expires, renew_before: renew } = isObject(metadata) ? metadata : {}
  const isMoment = (value: unknown) =>
    value === undefined || (typeof value === 'string' && moment.test(value))
  const known = session.minor >= 17 ? [expires, renew] : [expires]
  const inOrder =
    session.minor < 17 ||
    typeof expires !== 'string' ||
    typeof renew !== 'string' ||
    Date.parse(renew) <= Date.parse(expires)
  const fits = (metadata === undefined || isObject(metadata)) && known.every(isMoment) && inOrder
  session.judge('bind.metadata', exchange, fits, {
    expected: 'expires_at and renew_before like 2030-01-31T12:00:00.0Z, renew_before not after expires_at',
    got: JSON.stringify(metadata),
  })
}
