/** What is found in a document of a pak, said to its author: what it is, where, and what to do. */
import { uuidOf } from '../../kit/hash.ts'
import { type JsonObject, at as valueAt } from '../../kit/json.ts'
import { nearest } from '../../kit/text.ts'
import type { FieldFault } from './field-faults.ts'

export interface Finding {
  readonly text: string
  /** The field: `plans[0].id`. */
  readonly path: string
  /** What to do, in the imperative. */
  readonly fix: string
  /** Where in a template; its file is another one where templates stand beside their definition. */
  readonly within?: { readonly template: string; readonly line: number; readonly column: number }
}

const types = ['object', 'boolean', 'array', 'number', 'string', 'integer']

/** What authors write where something is missing. */
const meanings: Readonly<Record<string, string>> = {
  name: 'the name that is ordered by',
  field_name: 'the name of the variable',
  description: 'one sentence',
  display_name: 'the name that people see',
  details: 'one sentence about the variable',
  plan_id: 'the id of one of the plans',
  version: 'its version',
  os: 'linux',
  arch: 'amd64 or arm64',
  platforms: 'the platforms it is built for: [{os: linux, arch: amd64}]',
  terraform_binaries: 'the programs it brings: an entry named tofu, and the providers',
  service_definitions: 'the files of its services',
  packversion: '1',
  default: 'the value or expression that is computed',
}

/** Says a fault of the originals' wording so that its author can mend it. */
export function explain(fault: FieldFault, document: JsonObject): Finding {
  const { text, path } = fault
  const value = valueAt(document, pointerOf(path.toLowerCase()))
  const field =
    path
      .split('.')
      .at(-1)
      ?.replace(/\[\d+\]$/, '') ?? ''
  const say = (words: string, fix: string): Finding => ({ text: words, path, fix })
  const shown = JSON.stringify(value) ?? 'nothing'
  if (/not loaded from template ref$/.test(path))
    return say(
      'the template that it refers to is not in the pak',
      'Correct the path; it is read from the root of the pak.',
    )
  if (text === 'missing field(s)')
    return field === 'id'
      ? say('it has no id', `Add "id: ${uuidOf(JSON.stringify(document), path)}".`)
      : say(`${field} is missing`, `Add "${field}": ${meanings[field] ?? 'it must not be empty'}.`)
  if (text === 'field must be a UUID')
    return say(
      value === undefined || value === '' ? 'it has no id' : `${shown} is no UUID`,
      `Write one, for example ${uuidOf(JSON.stringify(document), path)}, and keep it once it is offered.`,
    )
  if (text === 'field must be a URL')
    return say(`${value === undefined ? 'there' : shown} is no URL`, `Write "${field}: https://…".`)
  if (text.startsWith("field must match '^(|object")) {
    const meant = nearest(String(value), types)
    return say(`${shown} is no type`, meant ? `Write "${meant}".` : `Write one of ${types.join(', ')}.`)
  }
  return explainValue(fault, shown) ?? say(text, 'Correct this field.')
}

const wanted: Readonly<Record<string, string>> = {
  string: 'a text',
  int: 'a whole number',
  bool: 'true or false',
  map: 'a map ("key: value")',
  list: 'a list ("- item")',
}

type Rule = readonly [
  pattern: RegExp,
  words: (found: RegExpExecArray, shown: string) => readonly [string, string],
]

const rules: readonly Rule[] = [
  [
    /^cannot unmarshal !!(\w+).* into (\w+)$/,
    ([, tag = '', kind = ''], shown) => [
      `it is ${tag === 'seq' ? 'a list' : shown}, and must be ${wanted[kind] ?? kind}`,
      `Write ${wanted[kind] ?? kind}.`,
    ],
  ],
  [
    /^invalid value: (.*)$/,
    ([, value]) => [`${value} is not known here`, 'Write 1: there is no other version.'],
  ],
  [
    /^duplicated value, must be unique: (.*)$/,
    ([, value]) => [`${value} is used twice`, 'Give each its own; remove the entry that is there twice.'],
  ],
  [
    /^field must match '\^\(\[-a-zA-Z/,
    (_found, shown) => [`${shown} names no attribute of a resource`, 'Write RESOURCE_TYPE.NAME.ATTRIBUTE.'],
  ],
  [
    /^Malformed version: (.*)$/,
    ([, value]) => [`${value} is no version`, 'Write three numbers, as in 1.6.0.'],
  ],
  [/only valid for `tofu`/, () => ['only an engine can be the default', 'Remove "default" here.']],
  [
    /valid format is/,
    (_found, shown) => [
      `${shown} is no address of a provider`,
      'Write [HOST/]NAMESPACE/TYPE, as in hashicorp/random.',
    ],
  ],
  [
    /none marked as default/,
    () => [
      'there are several engines, and none is the default',
      'Add "default: true" to the highest version of tofu.',
    ],
  ],
  [
    /multiple marked as default/,
    () => ['several engines are the default', 'Leave "default: true" at the highest version only.'],
  ],
  [
    /must be the highest version/,
    () => [
      'the default engine is not the highest version',
      'Move "default: true" to the highest version of tofu.',
    ],
  ],
  [
    /ascending order: "(.*)" <= "(.*)"/,
    ([, low, high]) => [`${low} stands behind ${high}`, 'Sort the versions, the lowest first.'],
  ],
  [
    /no corresponding \w+ resource for tofu version "(.*)"/,
    ([, version]) => [
      `no engine of version ${version} is in terraform_binaries`,
      `Add tofu ${version} to terraform_binaries, or remove the step.`,
    ],
  ],
  [
    /does not terminate at default version/,
    () => [
      'the path ends at another version than the default engine',
      'Add the version of the default engine as its last step.',
    ],
  ],
]

function explainValue({ text, path }: FieldFault, shown: string): Finding | undefined {
  for (const [pattern, words] of rules) {
    const found = pattern.exec(text)
    if (found === null) continue
    const [said, fix] = words(found, shown)
    return { text: said, path, fix }
  }
  return undefined
}

/** The pointer of a path as the originals write it. */
export function pointerOf(path: string): string {
  if (path === '') return ''
  return `/${path
    .replaceAll(/\[(\d+)\]/g, '.$1')
    .split('.')
    .join('/')}`
}
