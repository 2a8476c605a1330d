/** Values that people type, write or keep in sets, made into what the definitions of a bundle want. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import {
  type Bundle,
  bundleIn,
  type CnabNotes,
  definitionOf,
  hasFileParameters,
  isBinary,
  typedValue,
  typesOf,
  valueFor,
} from '../../contracts/cnab/index.ts'
import type { Json, JsonObject } from '../../kit/json.ts'
import { fail } from '../../model/problem.ts'
import type { ResolvedSets } from './sets.ts'

/** A text as it was typed, or a value that has its type. */
export type GivenValue = { readonly typed: string } | { readonly value: Json }

/** What sets say, and the bytes of the files that they name for it. */
type SetValues = Pick<ResolvedSets, 'values' | 'files'>

const fileBytesMax = 8 * 1024 * 1024

/** By dependency, the values for each bundle; the bundle's own are under the empty name. Problems: cnab.parameter.undefined. */
export function givenValues(
  notes: CnabNotes,
  { sets, given }: { readonly sets: SetValues; readonly given: Readonly<Record<string, GivenValue>> },
): Readonly<Record<string, JsonObject>> {
  const bundle = bundleIn(notes) ?? fail('cnab.bundle.invalid')
  const own: Record<string, Json> = {}
  for (const [name, value] of Object.entries(sets.values)) {
    const declared = bundle.parameters[name]
    // Sets are shared between bundles: what is of another one is left alone.
    if (declared === undefined) continue
    const definition = definitionOf(bundle, declared)
    const file = isBinary(definition) && hasFileParameters(bundle) ? sets.files[name] : undefined
    own[name] =
      file === undefined ? orAsItIs(valueFor(definition, value), value) : Buffer.from(file).toString('base64')
  }
  const all: Record<string, Record<string, Json>> = { '': own }
  for (const [key, one] of Object.entries(given)) {
    const [, path = '', name = key] = /^(.+)#([^#]+)$/.exec(key) ?? []
    const alias = path.replaceAll('#', '/')
    const target = alias === '' ? bundle : dependencyBundle(notes, alias)
    all[alias] = { ...all[alias], [name]: typedFor(target, name, one) }
  }
  return all
}

/** What cannot be read as its definition wants is judged with everything else that is wrong. */
function orAsItIs(typed: ReturnType<typeof typedValue>, value: Json): Json {
  return typed.kind === 'value' ? typed.value : value
}

function dependencyBundle({ dependencies }: CnabNotes, alias: string): Bundle {
  const found = dependencies.find((one) => one.alias === alias)
  const bundle = found && bundleIn(found)
  return bundle ?? fail('cnab.parameter.undefined', `the bundle has no dependency ${JSON.stringify(alias)}`)
}

function typedFor(bundle: Bundle, name: string, given: GivenValue): Json {
  const declared = bundle.parameters[name]
  const plain = 'value' in given ? given.value : given.typed
  // Unknown names are refused all together later on.
  if (declared === undefined) return plain
  const definition = definitionOf(bundle, declared)
  if ('value' in given) return orAsItIs(valueFor(definition, plain), plain)
  const { typed } = given
  // What people type for a file is its name.
  if (isBinary(definition) && hasFileParameters(bundle) && isFile(typed))
    return readFileSync(typed).toString('base64')
  const isObjectFile =
    typed.startsWith('@') && typesOf(definition).includes('object') && isFile(typed.slice(1))
  const text = isObjectFile ? readFileSync(typed.slice(1), 'utf8') : typed
  return orAsItIs(typedValue(definition, text), text)
}

function isFile(path: string): boolean {
  return existsSync(path) && statSync(path).isFile() && statSync(path).size <= fileBytesMax
}
