/** What is wrong with a constructor, told with what to write. */
import { pointer } from '../../kit/json.ts'
import { type NearKey, strayKeys } from '../../kit/near-keys.ts'
import { present } from '../../kit/present.ts'
import { Fields, type OcmFault } from '../../languages/ocm/index.ts'
import type { Place, Problem } from '../../model/problem.ts'

/** What authors call some fields instead. */
const otherWords: Readonly<Record<string, string>> = { component: 'componentName', identity: 'extraIdentity' }

/** The fields by the names that are meant: what is nearly known is told and read as that, so that one mistake is one problem. */
export function only(fields: Fields, keys: readonly string[]): Fields {
  const { value, path, faults } = fields
  const near = new Map<string, string>()
  for (const { key, meant, hint } of strayKeys(value, keys, otherWords)) {
    const message = 'is not known here'
    const fault = { kind: 'invalid', path: fields.at(key) } as const
    if (meant === undefined)
      faults.push({ ...fault, message, hint: `Take it out; what is known here is ${keys.join(', ')}.` })
    else {
      near.set(key, meant)
      faults.push({ ...fault, message: `${message}; did you mean "${meant}"?`, hint })
    }
  }
  if (near.size === 0) return fields
  const meant = Object.entries(value).map(([key, one]) => [near.get(key) ?? key, one] as const)
  return new Fields(Object.fromEntries(meant), path, faults)
}

/** `resources[0].name` as a JSON pointer. */
export function pointerOf(path: string): string {
  return path
    .replaceAll(/\[([^\]]*)\]/g, '.$1')
    .split('.')
    .filter((step) => step !== '')
    .reduce(pointer, '')
}

/** A fault with its place and what to write. */
export function problemOf({ path, message, hint = hintFor(path, message) }: OcmFault, where: Place): Problem {
  const detail = [path, message].filter(Boolean).join(' ')
  return { code: 'ocm.constructor.invalid', detail, where, ...present({ hint }) }
}

/** A key that is nearly a known one. */
export function notKnown({ key, meant }: NearKey, where: Place): Problem {
  const detail = `${key} is not known here; did you mean "${meant}"?`
  return { code: 'ocm.constructor.invalid', detail, where, hint: `Write "${meant}" instead.` }
}

/** What to write where something is missing or not as it must be. */
const hints: readonly (readonly [path: RegExp, message: RegExp, hint: string])[] = [
  [/^provider$/, /./, 'Write provider: {name: example.org}, the name of who makes the component.'],
  [/version$/, /must be a text/, 'Write the version in quotation marks: "1.2" would be a number without.'],
  [/version$/, /./, 'Write a version of three numbers: version: 1.0.0'],
  [/^name$|componentName$/, /./, 'Write a DNS name and a path in lower case, at least example.org/queue.'],
  [/name$/, /./, 'Write a name of at least two small letters, digits, "-", "_" and "+": name: package'],
  [/extraIdentity/, /./, 'Take the name out: it is part of every identity; other keys are in lower case.'],
  [/relation$/, /stored/, 'Write relation: local, or take it out: an input is stored with the component.'],
  [/relation$/, /./, 'Write local or external.'],
  [/type$/, /./, 'Write the type: toiPackage, toiExecutor, ociImage, yaml or another one.'],
  [/./, /input and access/, 'Write where the content is: input: {type: file, path: package.yaml}'],
  [/./, /must be a map/, 'Write a map: one "key: value" per line, indented below it.'],
  [/./, /must be a list/, 'Write a list: one "- …" per item.'],
  [/./, /must be a text/, 'Write it in quotation marks.'],
]

function hintFor(path: string, message: string): string | undefined {
  const found = hints.find(([at, words]) => at.test(path) && words.test(message))?.[2]
  const add = message === 'is required' ? `Add "${path.split('.').at(-1)}".` : undefined
  return add === undefined ? found : [add, found].filter((one) => one !== undefined).join(' ')
}
