/** What the standard variables `OTEL_*` say of traces; a value that is none is told, and counts as not given. */
import { readFileSync } from 'node:fs'
import { whyUnreadable } from '../kit/unreadable.ts'
import type { Problem } from '../model/problem.ts'
import { type Propagator, propagators } from './context.ts'
import { type SamplerName, samplerNames } from './sampler.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface Configuration {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly timeoutMs: number
  /** Certificates in PEM: the authority of the collector, and what the broker shows of itself. */
  readonly tls: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer }
  /** What is said of this process, besides what the broker knows of itself. */
  readonly resource: Readonly<Record<string, string>>
  readonly sampler: { readonly name: SamplerName; readonly share: number }
  readonly propagators: readonly Propagator[]
  readonly batch: { readonly delayMs: number; readonly queueMax: number; readonly sizeMax: number }
}

export interface ConfigurationRead {
  /** Absent: there are no traces. */
  readonly configuration?: Configuration
  readonly problems: readonly Problem[]
}

/** Reads them. */
export function readConfiguration(environment: Environment): ConfigurationRead {
  const read = reader(environment)
  if (read.choice('OTEL_SDK_DISABLED', ['true', 'false'], 'false') === 'true') return { problems: [] }
  if (read.choice('OTEL_TRACES_EXPORTER', ['otlp', 'none'], 'otlp') === 'none') return { problems: [] }
  const url = urlOf(read)
  const isSpoken = protocolOf(read)
  const configuration: Omit<Configuration, 'url'> = {
    headers: read.pairs(either(read, 'HEADERS')),
    timeoutMs: read.number(either(read, 'TIMEOUT'), 10_000, 1),
    tls: tlsOf(read),
    resource: resourceOf(read),
    sampler: {
      name: read.choice('OTEL_TRACES_SAMPLER', samplerNames, 'parentbased_traceidratio'),
      share: read.share('OTEL_TRACES_SAMPLER_ARG', read.given('OTEL_TRACES_SAMPLER') ? 1 : ownShare),
    },
    propagators: propagatorsOf(read),
    batch: {
      delayMs: read.number('OTEL_BSP_SCHEDULE_DELAY', 5000, 1),
      queueMax: read.number('OTEL_BSP_MAX_QUEUE_SIZE', 2048, 1),
      sizeMax: read.number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, 1),
    },
  }
  const { problems } = read
  return url === undefined || !isSpoken
    ? { problems }
    : { configuration: { ...configuration, url }, problems }
}

/** Of the traces that begin here, where nothing else is said. */
const ownShare = 0.05

/** The variable of traces goes before that of all signals. */
function either(read: Reader, end: string): string {
  const own = `OTEL_EXPORTER_OTLP_TRACES_${end}`
  return read.given(own) === undefined ? `OTEL_EXPORTER_OTLP_${end}` : own
}

function urlOf(read: Reader): URL | undefined {
  const name = either(read, 'ENDPOINT')
  const text = read.given(name) ?? ''
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // The text may hold a password.
    read.fault(name, 'must be a URL with http:// or https://')
    return undefined
  }
  // That of all signals is a base.
  if (!name.includes('TRACES')) url.pathname = `${url.pathname.replace(/\/$/, '')}/v1/traces`
  return url
}

/** Collectors that take protobuf over HTTP take JSON at the same address. */
function protocolOf(read: Reader): boolean {
  const name = either(read, 'PROTOCOL')
  const protocol = read.choice(name, ['http/json', 'http/protobuf', 'grpc'], 'http/json')
  if (protocol === 'grpc')
    read.fault(
      name,
      'grpc is not spoken: give http/json, and the port of the collector for OTLP over HTTP, often 4318',
    )
  return protocol !== 'grpc'
}

function tlsOf(read: Reader): Configuration['tls'] {
  const ca = read.file(either(read, 'CERTIFICATE'))
  const cert = read.file(either(read, 'CLIENT_CERTIFICATE'))
  const key = read.file(either(read, 'CLIENT_KEY'))
  return { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) }
}

function resourceOf(read: Reader): Readonly<Record<string, string>> {
  const attributes = read.pairs('OTEL_RESOURCE_ATTRIBUTES')
  const name = read.given('OTEL_SERVICE_NAME') ?? attributes['service.name'] ?? 'chandler'
  return { ...attributes, 'service.name': name }
}

function propagatorsOf(read: Reader): readonly Propagator[] {
  const given = read.given('OTEL_PROPAGATORS')
  if (given === undefined) return propagators
  const names = new Set(given.split(',').map((name) => name.trim()))
  return propagators.filter((one) => names.has(one))
}

interface Reader {
  readonly problems: readonly Problem[]
  /** Its value; an empty one counts as none. */
  given(name: string): string | undefined
  choice<T extends string>(name: string, known: readonly T[], fallback: T): T
  number(name: string, fallback: number, least: number): number
  /** From 0 to 1. */
  share(name: string, fallback: number): number
  /** `a=1,b=2`, percent-encoded. */
  pairs(name: string): Readonly<Record<string, string>>
  file(name: string): Buffer | undefined
  fault(name: string, detail: string): void
}

function reader(environment: Environment): Reader {
  const problems: Problem[] = []
  const given = (name: string) => environment[name]?.trim() || undefined
  const fault = (source: string, detail: string): void => {
    problems.push({ code: 'settings.invalid', detail, where: { source } })
  }
  return {
    problems,
    given,
    fault,
    choice: (name, known, fallback) => {
      const text = given(name)
      const found = known.find((one) => one === text?.toLowerCase())
      if (text !== undefined && found === undefined) fault(name, `must be one of ${known.join(', ')}`)
      return found ?? fallback
    },
    number: (name, fallback, least) => {
      const text = given(name)
      if (text === undefined) return fallback
      if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text)
      fault(name, `must be a number of at least ${least}`)
      return fallback
    },
    share: (name, fallback) => {
      const text = given(name)
      if (text === undefined) return fallback
      if (/^(?:0|1|0?\.\d+|1\.0+|0\.)$/.test(text)) return Number(text)
      fault(name, 'must be a number from 0 to 1')
      return fallback
    },
    pairs: (name) => {
      const text = given(name)
      const pairs = text === undefined ? {} : pairsOf(text)
      // Not quoted: headers are secret.
      if (pairs === undefined) fault(name, 'must be like name=value,other=value, percent-encoded')
      return pairs ?? {}
    },
    file: (name) => {
      const path = given(name)
      if (path === undefined) return undefined
      try {
        return readFileSync(path)
      } catch (cause) {
        const detail = `${path}: ${whyUnreadable(cause)}`
        problems.push({ code: 'file.unreadable', detail, where: { source: name }, cause })
        return undefined
      }
    },
  }
}

function pairsOf(text: string): Readonly<Record<string, string>> | undefined {
  const pairs: Record<string, string> = {}
  for (const part of text.split(',').filter((one) => one.trim() !== '')) {
    const [name = '', value] = [
      part.slice(0, part.indexOf('=')).trim(),
      part.slice(part.indexOf('=') + 1).trim(),
    ]
    if (!part.includes('=') || !/^[\w.!#$&'*+^`|~/%-]+$/.test(name)) return undefined
    try {
      pairs[decodeURIComponent(name)] = decodeURIComponent(value)
    } catch {
      return undefined
    }
  }
  return pairs
}
