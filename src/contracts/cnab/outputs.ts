/** Outputs: which are wanted of a run, what came back, and what stands in for what did not; always as bytes. */
import { isExact, parseJson } from '../../kit/exact.ts'
import { digestOf } from '../../kit/hash.ts'
import type { Want } from '../../model/job.ts'
import type { Problem } from '../../model/problem.ts'
import type { Got, Report } from '../../model/report.ts'
import {
  appliesTo,
  type Bundle,
  type Definition,
  defaultOf,
  definitionOf,
  isInternal,
  isSensitive,
  typesOf,
} from './bundle.ts'
import { faultsOf } from './definition.ts'
import type { Options } from './options.ts'
import { textOfValue } from './texts.ts'

export interface RunOutput {
  readonly name: string
  readonly bytes: Uint8Array
  readonly contentDigest: string
  /** False where the default stands in for a file that was not written. */
  readonly generatedByBundle: boolean
  readonly sensitive: boolean
  /** Of the authoring tool; kept, and not shown. */
  readonly internal: boolean
}

export interface Collected {
  readonly outputs: readonly RunOutput[]
  readonly problems: readonly Problem[]
  /** What breaks its schema, but not its type. */
  readonly warnings: readonly Problem[]
}

/** The names of outputs that an action writes. */
export function outputNames(bundle: Bundle, action: string): readonly string[] {
  return Object.entries(bundle.outputs).flatMap(([name, output]) => (appliesTo(output, action) ? [name] : []))
}

/** What to ask of the engine. */
export function outputWants(bundle: Bundle, action: string, { outputBytes }: Options): readonly Want[] {
  return outputNames(bundle, action).map((name) => ({
    kind: 'file',
    name: wantName(name),
    path: bundle.outputs[name]?.path ?? '',
    bytesMax: outputBytes,
  }))
}

/** What an engine brought back, by the names of the outputs. */
export function gotOutputs(report: Report, names: readonly string[]): ReadonlyMap<string, Got> {
  return new Map(names.map((name) => [name, report.got.get(wantName(name)) ?? { kind: 'missing' }]))
}

function wantName(name: string): string {
  return `output ${name}`
}

export interface Collecting extends Pick<Options, 'outputBytes' | 'outputsBytes'> {
  /** What a run that was cut short has not written is not known: a default would hide the value of before. */
  readonly isWhole: boolean
}

/** Problems: cnab.output.missing, cnab.output.type, cnab.output.too-large; what came is kept all the same. */
export function collectOutputs(
  bundle: Bundle,
  got: ReadonlyMap<string, Got>,
  { outputBytes, outputsBytes, isWhole }: Collecting,
): Collected {
  const outputs: RunOutput[] = []
  const problems: Problem[] = []
  const warnings: Problem[] = []
  let left = outputsBytes
  for (const [name, found] of got) {
    const declared = bundle.outputs[name]
    const definition = declared ? definitionOf(bundle, declared) : true
    if (!isWhole && found.kind === 'missing' && defaultOf(definition) !== undefined) continue
    const bytes = bytesOf(found, definition)
    const size = found.kind === 'too-large' ? found.bytes : (bytes?.byteLength ?? 0)
    if (size > Math.min(outputBytes, left)) {
      const most = Math.min(outputBytes, left)
      problems.push({ code: 'cnab.output.too-large', detail: `${name} has ${size} bytes, more than ${most}` })
    } else if (bytes === undefined) {
      const detail = `required output ${name} is missing and has no default`
      problems.push({ code: 'cnab.output.missing', detail })
    } else {
      left -= size
      outputs.push(outputOf(name, bytes, definition, found.kind === 'bytes'))
      judge({ name, bytes, definition }, problems, warnings)
    }
  }
  return { outputs, problems, warnings }
}

/** As it is kept in records, with its digest. */
export function outputOf(
  name: string,
  bytes: Uint8Array,
  definition: Definition,
  generatedByBundle: boolean,
): RunOutput {
  return {
    name,
    bytes,
    contentDigest: digestOf(bytes),
    generatedByBundle,
    sensitive: isSensitive(definition),
    internal: isInternal(definition),
  }
}

function bytesOf(got: Got, definition: Definition): Uint8Array | undefined {
  if (got.kind === 'bytes') return got.bytes
  const preset = got.kind === 'missing' ? defaultOf(definition) : undefined
  return preset && new TextEncoder().encode(textOfValue(preset.value))
}

/** Where a text is allowed anything is one; else it must be JSON of a type that is. An empty file is just empty. */
function judge(
  {
    name,
    bytes,
    definition,
  }: { readonly name: string; readonly bytes: Uint8Array; readonly definition: Definition },
  problems: Problem[],
  warnings: Problem[],
): void {
  const types = typesOf(definition)
  if (bytes.byteLength === 0 || types.length === 0 || types.includes('string')) return
  const value = parsed(bytes)
  if (value === undefined || !types.some((type) => isOf(type, value.value))) {
    const is = value === undefined ? 'no JSON' : typeName(value.value)
    const detail = `${name} is not any of the expected types (${types.join(', ')}) because it is ${is}`
    problems.push({ code: 'cnab.output.type', detail })
    return
  }
  for (const { pointer, message } of faultsOf(definition, value.value as never))
    warnings.push({ code: 'cnab.output.type', detail: `${name}${pointer} ${message}` })
}

function parsed(bytes: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch {
    return undefined
  }
}

function isOf(type: string, value: unknown): boolean {
  const is = typeName(value)
  return is === type || (type === 'number' && is === 'integer')
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  if (isExact(value)) return 'integer'
  return typeof value
}
