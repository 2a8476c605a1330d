/** Consumers of credentials, and which of the configured ones are meant for a request. */

export type ConsumerIdentity = Readonly<Record<string, string>>
export type Credentials = Readonly<Record<string, string>>

export interface Consumer {
  readonly identity: ConsumerIdentity
  readonly credentials: Credentials
}

export const matchers = ['exact', 'partial', 'hostpath'] as const
export type Matcher = (typeof matchers)[number]

/** Types of consumers whose requests are matched by host and path. */
const hostPathTypes = [
  'OCIRegistry',
  'HelmChartRepository',
  'Git',
  'Github',
  'S3',
  'wget',
  'NpmRegistry',
  'MavenRepository',
]

/** How consumers of a type are found; undefined for the name of no matcher and no type. */
export function matcherFor(name: string | undefined): Matcher {
  const own = matchers.find((one) => one === name)
  return own ?? (hostPathTypes.includes(name ?? '') ? 'hostpath' : 'partial')
}

/** The consumer that fits a request best. */
export function findConsumer(
  consumers: readonly Consumer[],
  request: ConsumerIdentity,
  matcher: Matcher,
): Consumer | undefined {
  let best: Consumer | undefined
  for (const candidate of consumers)
    if (isBetter(request, { current: best?.identity, candidate: candidate.identity, matcher }))
      best = candidate
  return best
}

export interface Choice {
  readonly current: ConsumerIdentity | undefined
  readonly candidate: ConsumerIdentity
  readonly matcher: Matcher
}

/** Whether a candidate serves the request, and better than what was found so far. */
export function isBetter(request: ConsumerIdentity, { current, candidate, matcher }: Choice): boolean {
  switch (matcher) {
    case 'exact':
      return (
        current === undefined &&
        Object.keys(request).length === Object.keys(candidate).length &&
        holds(candidate, request)
      )
    case 'partial':
      return current === undefined && holds(candidate, request)
    case 'hostpath':
      return (
        servesPath(request, candidate) && (current === undefined || isNearer(request, candidate, current))
      )
  }
}

function holds(candidate: ConsumerIdentity, request: ConsumerIdentity): boolean {
  return Object.entries(request).every(
    ([key, value]) => Object.hasOwn(candidate, key) && candidate[key] === value,
  )
}

function servesPath(request: ConsumerIdentity, candidate: ConsumerIdentity): boolean {
  const type = request['type'] ?? ''
  if (type !== '' && candidate['type'] !== type) return false
  for (const key of ['hostname', 'port', 'scheme']) {
    const [wanted, there] = [request[key] ?? '', candidate[key] ?? '']
    if (wanted !== '' && there !== '' && wanted !== there) return false
  }
  const path = candidate['pathprefix'] ?? ''
  if (path === '') return true
  const wanted = (request['pathprefix'] ?? '').split('/')
  return path.split('/').every((segment, i) => wanted[i] === segment)
}

function isNearer(
  request: ConsumerIdentity,
  candidate: ConsumerIdentity,
  current: ConsumerIdentity,
): boolean {
  const has = (identity: ConsumerIdentity, key: string): boolean => (identity[key] ?? '') !== ''
  if (!has(current, 'hostname') && has(candidate, 'hostname')) return true
  for (const key of ['port', 'scheme'])
    if (!has(current, key) && has(candidate, key) && has(request, key)) return true
  return (candidate['pathprefix'] ?? '').length > (current['pathprefix'] ?? '').length
}
