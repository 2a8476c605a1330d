/** The kinds of settings: how a raw value of a file, variable or flag becomes a typed one, and how it is described. */
import { isObject, type Json, type JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import { Secret } from '../kit/secret.ts'
import { nearest } from '../kit/text.ts'

/** One value with its meaning, default and way of reading. */
export interface Leaf<T> {
  readonly kind: 'leaf'
  readonly doc: string
  /** What people write in its place, for the documentation: `duration`, `text`, `a | b`. */
  readonly written: string
  readonly schema: JsonObject
  /** As it would be written in a file; undefined: there is none. */
  readonly fallback: Json | undefined
  readonly required: boolean
  /** May also come from the file that `<name>_file` names. */
  readonly secret: boolean
  /** Takes effect on SIGHUP. */
  readonly reload: boolean
  readonly read: (raw: Json, from: Origin) => Read<T>
}

export interface Group<M extends Members> {
  readonly kind: 'group'
  readonly doc: string
  readonly members: M
}

/** A list of groups. */
export interface Items<M extends Members> {
  readonly kind: 'items'
  readonly doc: string
  readonly item: Group<M>
}

export type Node = Leaf<unknown> | Group<Members> | Items<Members>
export interface Members {
  readonly [name: string]: Node
}

export type ValueOf<N> =
  N extends Leaf<infer T>
    ? T
    : N extends Group<infer M>
      ? { readonly [K in keyof M]: ValueOf<M[K]> }
      : N extends Items<infer M>
        ? readonly { readonly [K in keyof M]: ValueOf<M[K]> }[]
        : never

export type Read<T> =
  /** absent: the value is well formed, and what it names is not there now. */
  { readonly kind: 'value'; readonly value: T; readonly absent?: string } | Refusal

/** Why a raw value is refused, and what to do where that is special to it. */
interface Refusal extends Fault {
  readonly kind: 'fault'
}

export interface Fault {
  readonly message: string
  readonly hint?: string
}

/** What a relative path is relative to. */
export interface Origin {
  readonly folder: string
  readonly resolve: (folder: string, path: string) => string
  readonly references: References
}

/** Takes every text for a reference. */
export const anyReference: References = { judge: () => ({}) }

/** What another part knows of package references: their grammar, and what lies on this machine. */
export interface References {
  /** Why a text is no reference, or else the path that it names and at which nothing lies. */
  judge(text: string): { readonly fault: Fault } | { readonly absent?: string }
}

interface Traits {
  readonly doc: string
  readonly fallback?: Json
  readonly reload?: boolean
}

export function group<M extends Members>(doc: string, members: M): Group<M> {
  return { kind: 'group', doc, members }
}

export function items<M extends Members>(doc: string, members: M): Items<M> {
  return { kind: 'items', doc, item: group(doc, members) }
}

/** A leaf that always has a value: from its default, or because it must be given. */
function leaf<T>(shape: Shape<T>, traits: Traits): Leaf<T> {
  return {
    kind: 'leaf',
    secret: false,
    required: traits.fallback === undefined,
    ...shape,
    doc: traits.doc,
    fallback: traits.fallback,
    reload: traits.reload ?? false,
  }
}

/** A leaf that may be absent. */
export function optional<T>(inner: Leaf<T>): Leaf<T | undefined> {
  return { ...inner, required: false }
}

interface Shape<T> {
  readonly written: string
  readonly schema: JsonObject
  readonly secret?: boolean
  readonly read: (raw: Json, from: Origin) => Read<T>
}

export function text(
  traits: Traits & {
    readonly pattern?: RegExp
    readonly written?: string
    /** What no pattern tells. */
    readonly faultOf?: (text: string) => Fault | undefined
  },
): Leaf<string> {
  const { pattern, faultOf } = traits
  return leaf(
    {
      written: traits.written ?? 'text',
      schema: { type: 'string', ...(pattern ? { pattern: pattern.source } : {}) },
      read: (raw) => {
        if (typeof raw !== 'string') return fault('must be a text', raw)
        if (raw === '') return { kind: 'fault', message: 'must not be empty' }
        if (pattern && !pattern.test(raw))
          return fault(`must look like ${traits.written ?? pattern.source}`, raw)
        const why = faultOf?.(raw)
        return why === undefined ? value(raw) : { kind: 'fault', ...why }
      },
    },
    traits,
  )
}

export function choice<const T extends string | number>(among: readonly T[], traits: Traits): Leaf<T> {
  return leaf(
    {
      written: among.join(' | '),
      schema: { type: among.every((one) => typeof one === 'number') ? 'integer' : 'string', enum: among },
      read: (raw) => {
        const found = among.find((word) => word === raw)
        if (found !== undefined) return value(found)
        const near = typeof raw === 'string' ? nearest(raw, among.map(String)) : undefined
        const hint = near === undefined ? undefined : `Write ${near} instead.`
        return { ...fault(`must be one of ${among.join(', ')}`, raw), ...present({ hint }) }
      },
    },
    traits,
  )
}

export function flag(traits: Traits): Leaf<boolean> {
  return leaf(
    {
      written: 'true | false',
      schema: { type: 'boolean' },
      read: (raw) => (typeof raw === 'boolean' ? value(raw) : fault('must be true or false', raw)),
    },
    traits,
  )
}

export function integer(traits: Traits & { readonly least?: number; readonly most?: number }): Leaf<number> {
  const { least = 0, most = Number.MAX_SAFE_INTEGER } = traits
  return leaf(
    {
      written: 'number',
      schema: { type: 'integer', minimum: least, ...(traits.most === undefined ? {} : { maximum: most }) },
      read: (raw) => {
        if (typeof raw !== 'number' || !Number.isSafeInteger(raw)) return fault('must be a whole number', raw)
        if (raw < least) return fault(`must be at least ${least}`, raw)
        return raw > most ? fault(`must be at most ${most}`, raw) : value(raw)
      },
    },
    traits,
  )
}

const durationUnits: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}
const sizeUnits: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
}

/** In milliseconds. */
export function duration(traits: Traits): Leaf<number> {
  return measured('duration', durationUnits, 'a duration such as 250ms, 30s, 5m, 2h or 7d', traits)
}

/** In bytes. */
export function size(traits: Traits): Leaf<number> {
  return measured('size', sizeUnits, 'a size such as 64KiB, 10MiB or 1GB', traits)
}

function measured(
  written: string,
  units: Readonly<Record<string, number>>,
  like: string,
  traits: Traits,
): Leaf<number> {
  const pattern = new RegExp(`^(\\d+)(${Object.keys(units).join('|')})$`)
  return leaf(
    {
      written,
      schema: { type: 'string', pattern: pattern.source },
      read: (raw) => {
        const [, count, unit] = (typeof raw === 'string' && pattern.exec(raw)) || []
        const factor = units[unit ?? '']
        return factor === undefined ? fault(`must be ${like}`, raw) : value(Number(count) * factor)
      },
    },
    traits,
  )
}

export function texts(
  traits: Traits & { readonly pattern?: RegExp; readonly written?: string },
): Leaf<readonly string[]> {
  const { pattern, written } = traits
  const fits = (item: string): boolean => pattern?.test(item) !== false
  return leaf(
    {
      written: 'list of texts',
      schema: { type: 'array', items: { type: 'string' } },
      read: (raw) => {
        if (!Array.isArray(raw) || !raw.every((item) => typeof item === 'string'))
          return fault('must be a list of texts', raw)
        const odd = raw.find((item) => !fits(item))
        return odd === undefined ? value(raw) : fault(`each must look like ${written}`, odd)
      },
    },
    traits,
  )
}

/** Any JSON object; its keys are not ours. */
export function object(traits: Traits): Leaf<JsonObject> {
  return leaf(
    {
      written: 'map',
      schema: { type: 'object' },
      read: (raw) => (isObject(raw) ? value(raw as JsonObject) : fault('must be a map', raw)),
    },
    traits,
  )
}

/** A path; relative ones are relative to the file that says so, else to the working folder. */
export function path(traits: Traits): Leaf<string> {
  return leaf(
    {
      written: 'path',
      schema: { type: 'string' },
      read: (raw, from) =>
        typeof raw === 'string' && raw !== ''
          ? value(from.resolve(from.folder, raw))
          : fault('must be a path', raw),
    },
    traits,
  )
}

/** A package reference; a relative path in it is made absolute like any path. */
export function reference(traits: Traits): Leaf<string> {
  return leaf(
    {
      written: 'package reference',
      schema: { type: 'string' },
      read: (raw, from) => {
        if (typeof raw !== 'string' || raw === '') return fault('must be a package reference', raw)
        // The component behind an archive is no part of its path.
        const [, archive, component = ''] = /^ocm:(\.{1,2}(?:\/[^/?]+)*)(.*)$/.exec(raw) ?? []
        const [, scheme = '', relative] = /^([a-z][a-z0-9-]*:)?(\.{1,2}(?:\/.*)?)$/.exec(raw) ?? []
        const plain = relative === undefined ? raw : scheme + from.resolve(from.folder, relative)
        const whole = archive === undefined ? plain : `ocm:${from.resolve(from.folder, archive)}${component}`
        const judged = from.references.judge(whole)
        return 'fault' in judged ? { kind: 'fault', ...judged.fault } : { ...value(whole), ...judged }
      },
    },
    traits,
  )
}

export function secret(traits: Traits): Leaf<Secret> {
  return leaf(
    {
      written: 'secret',
      schema: { type: 'string' },
      secret: true,
      // The value itself is never quoted in a fault.
      read: (raw) =>
        typeof raw === 'string' && raw !== ''
          ? value(new Secret(raw))
          : { kind: 'fault', message: 'must be a text that is not empty' },
    },
    traits,
  )
}

function value<T>(given: T): Extract<Read<T>, { kind: 'value' }> {
  return { kind: 'value', value: given }
}

function fault(message: string, raw: Json): Refusal {
  const shown = JSON.stringify(raw) ?? ''
  return { kind: 'fault', message: shown.length > 60 ? message : `${message}, not ${shown}` }
}
