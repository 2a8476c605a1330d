/** `registries.conf` of Podman, Buildah and skopeo: which registry stands for which names, and its mirrors. */
import { checkerOf } from '../../kit/schema.ts'
import { readToml } from '../../kit/toml.ts'
import { failAll, type Problem } from '../../model/problem.ts'

/** What the file says of all names that begin with a prefix. */
export interface ConfiguredRegistry {
  /** `host[:port][/path]`, or `*.host` for all below a domain. */
  readonly prefix: string
  /** What stands in the place of the prefix when images are read. */
  readonly location: string
  /** Plain HTTP and certificates of any authority will do. */
  readonly insecure: boolean
  readonly blocked: boolean
  readonly mirrors: readonly ConfiguredMirror[]
}

export interface ConfiguredMirror {
  readonly location: string
  readonly insecure: boolean
  /** Which references it is asked for. */
  readonly pulls: 'all' | 'digest-only' | 'tag-only'
}

const text = { type: 'string' }
const flag = { type: 'boolean' }
const names = { type: 'array', items: text }
const listed = { type: 'object', properties: { registries: names } }
const check = checkerOf({
  type: 'object',
  properties: {
    registry: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          prefix: text,
          location: text,
          insecure: flag,
          blocked: flag,
          'mirror-by-digest-only': flag,
          mirror: {
            type: 'array',
            items: {
              type: 'object',
              required: ['location'],
              properties: {
                location: text,
                insecure: flag,
                'pull-from-mirror': { enum: ['', 'all', 'digest-only', 'tag-only'] },
              },
            },
          },
        },
        anyOf: [{ required: ['prefix'] }, { required: ['location'] }],
      },
    },
    registries: { type: 'object', properties: { insecure: listed, block: listed } },
  },
})

interface Written {
  readonly registry?: readonly WrittenRegistry[]
  /** The form of before 2018. */
  readonly registries?: { readonly insecure?: Listed; readonly block?: Listed }
}

interface Listed {
  readonly registries?: readonly string[]
}

interface WrittenRegistry {
  readonly prefix?: string
  readonly location?: string
  readonly insecure?: boolean
  readonly blocked?: boolean
  readonly 'mirror-by-digest-only'?: boolean
  readonly mirror?: readonly {
    readonly location: string
    readonly insecure?: boolean
    readonly 'pull-from-mirror'?: '' | ConfiguredMirror['pulls']
  }[]
}

/** Reads one file; what concerns only names without a host is left out. Problems: registry.configuration-invalid. */
export function readRegistriesConf(content: string, source: string): readonly ConfiguredRegistry[] {
  const reading = readToml(content)
  const problem = (detail: string, where: Problem['where']): Problem => ({
    code: 'registry.configuration-invalid',
    detail,
    where: { source, ...where },
  })
  if (reading.kind === 'fault') {
    const { message, line, column } = reading
    failAll([problem(message, { line, column })])
    return []
  }
  const { value } = reading
  // Most files say nothing of registries, and a check takes a while to be made.
  if (value['registry'] === undefined && value['registries'] === undefined) return []
  failAll(check(value).map(({ message, pointer }) => problem(message, { pointer })))
  const { registry = [], registries } = value as Written
  const read = registry.map(registryOf)
  failAll(
    read.flatMap((one, i) =>
      [one.prefix, one.location, ...one.mirrors.map(({ location }) => location)]
        .filter((name) => !isPlace(name))
        .map((name) =>
          problem(`${JSON.stringify(name)} is no host[:port][/path]`, { pointer: `/registry/${i}` }),
        ),
    ),
  )
  return [...oldOnes(registries), ...read]
}

function registryOf({
  prefix,
  location = prefix ?? '',
  insecure = false,
  blocked = false,
  mirror = [],
  ...more
}: WrittenRegistry): ConfiguredRegistry {
  const usual = more['mirror-by-digest-only'] ? 'digest-only' : 'all'
  return {
    prefix: plain(prefix ?? location),
    location: plain(location),
    insecure,
    blocked,
    mirrors: mirror.map((one) => ({
      location: plain(one.location),
      insecure: one.insecure ?? false,
      pulls: one['pull-from-mirror'] || usual,
    })),
  }
}

function plain(name: string): string {
  return name.replace(/\/+$/, '')
}

function oldOnes({ insecure, block }: Written['registries'] = {}): readonly ConfiguredRegistry[] {
  const flags = new Map<string, { insecure: boolean; blocked: boolean }>()
  const flagsOf = (name: string): { insecure: boolean; blocked: boolean } => {
    const known = flags.get(name) ?? { insecure: false, blocked: false }
    flags.set(name, known)
    return known
  }
  for (const name of insecure?.registries ?? []) flagsOf(plain(name)).insecure = true
  for (const name of block?.registries ?? []) flagsOf(plain(name)).blocked = true
  return [...flags].map(([name, said]) => ({ prefix: name, location: name, mirrors: [], ...said }))
}

/** An address with a scheme is a usual mistake; the originals refuse it, too. */
function isPlace(name: string): boolean {
  return /^(?:\*\.)?[^\s/:@]+(?::\d+)?(?:[/:@][^\s]*)?$/.test(name) && !name.includes('://')
}

/** The one that counts for a name: the longest prefix that fits; of equal ones the later. */
export function registryFor(
  name: string,
  configured: readonly ConfiguredRegistry[],
): ConfiguredRegistry | undefined {
  return configured
    .filter(({ prefix }) => fits(prefix, name))
    .reduce<ConfiguredRegistry | undefined>(
      (best, one) => (best !== undefined && best.prefix.length > one.prefix.length ? best : one),
      undefined,
    )
}

/** A name with the location in the place of the prefix. */
export function movedTo(location: string, name: string, { prefix }: ConfiguredRegistry): string {
  if (location.startsWith('*.')) return name
  const replaced = prefix.startsWith('*.') ? domainOf(name) : prefix
  return `${location}${name.slice(replaced.length)}`
}

function fits(prefix: string, name: string): boolean {
  if (prefix.startsWith('*.')) return domainOf(name).endsWith(prefix.slice(1))
  return name.startsWith(prefix) && ['', '/', ':', '@'].includes(name.charAt(prefix.length))
}

/** The host without its port. */
function domainOf(name: string): string {
  return /^[^/:]*/.exec(name)?.[0] ?? name
}
