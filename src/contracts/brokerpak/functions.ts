/** What the expressions of a pak may call, and reach: what its manifest declares, and what the operator lends. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { Secret } from '../../kit/secret.ts'
import { brokerFunctions, type Functions } from '../../languages/hil/index.ts'
import type { Situation } from '../../model/situation.ts'
import type { Manifest } from './manifest.ts'
import type { PakOptions } from './options.ts'

/** The functions of one action; the counter counts within it, as the specification says. */
export function pakFunctions(situation: Situation, manifest: Manifest, options: PakOptions): Functions {
  let count = 0n
  return brokerFunctions(
    {
      nanoseconds: () => BigInt(situation.now) * 1_000_000n + fraction(situation.random(4)),
      nextCount: () => ++count,
      random: situation.random,
      environment: (name) => (mayRead(manifest, name) ? lent(situation, options, name) : undefined),
      configuration: (key) => configured(situation, manifest, options, key),
    },
    { cutInsideCharacters: options.strict !== undefined },
  )
}

/** What the operator lends under a name: secret or public. */
export function lent(situation: Situation, options: PakOptions, name: string): string | undefined {
  const value = situation.infrastructure[name]
  if (value instanceof Secret) return value.reveal()
  return value ?? options.environment[name]
}

/** Names that the manifest tells the operator about; others stay closed to authors of paks. */
export function declaredNames(manifest: Manifest): readonly string[] {
  const { parameters, requiredEnvironment, environmentMapping } = manifest
  return [...parameters.map(({ name }) => name), ...requiredEnvironment, ...Object.keys(environmentMapping)]
}

function mayRead(manifest: Manifest, name: string): boolean {
  return declaredNames(manifest).includes(name)
}

function configured(
  situation: Situation,
  manifest: Manifest,
  options: PakOptions,
  key: string,
): string | undefined {
  const wanted = key.toLowerCase()
  const bound = Object.entries(manifest.environmentMapping).find(([, path]) => path.toLowerCase() === wanted)
  const value = (bound && lent(situation, options, bound[0])) ?? within(options.config, wanted)
  if (value === undefined || value === null) return undefined
  return (typeof value === 'string' ? value : JSON.stringify(value)).trim()
}

/** A value by its dotted key, or the parts of it that are maps; upper and lower case are the same. */
function within(config: JsonObject, key: string): Json | undefined {
  for (const [name, value] of Object.entries(config)) {
    const own = name.toLowerCase()
    if (own === key) return value
    if (key.startsWith(`${own}.`) && isObject(value))
      return within(value as JsonObject, key.slice(own.length + 1))
  }
  return undefined
}

/** The clock knows milliseconds; what lies below keeps names apart. */
function fraction(bytes: Uint8Array): bigint {
  return BigInt(Buffer.from(bytes).readUInt32BE() % 1_000_000)
}
