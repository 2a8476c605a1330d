/** bundle.json: read as written, of all versions of the format and from before the first; all problems at once. */
import { parseJson } from '../../kit/exact.ts'
import { depth, isObject, type JsonObject, pointer } from '../../kit/json.ts'
import { positionsOf } from '../../kit/json-places.ts'
import { strayKeys } from '../../kit/near-keys.ts'
import { repeatedKeys } from '../../kit/repeated-keys.ts'
import { nearest } from '../../kit/text.ts'
import type { Problem } from '../../model/problem.ts'
import { collectFaults, type Faults } from '../faults.ts'
import { type Bundle, type DeclaredAction, type Definition, defaultOf, type Maintainer } from './bundle.ts'
import { compileDefinition, faultsOf } from './definition.ts'
import { flagOf, given, mapOf, type Node, nodesOfList, nodesOfMap, textOf, textsOf } from './fields.ts'
import { judgeAims } from './format-aims.ts'
import { readImages } from './format-images.ts'
import { warnOfKeys, warnOfKeywords } from './format-keys.ts'
import { buildFileOf, isLegacyParameter } from './format-legacy.ts'
import { readValues } from './format-values.ts'
import { isGraphic, judgeBundleVersion, judgeSchemaVersion } from './words.ts'

export type BundleReading =
  | { readonly kind: 'bundle'; readonly bundle: Bundle; readonly warnings: readonly Problem[] }
  | {
      readonly kind: 'refused'
      readonly problems: readonly [Problem, ...Problem[]]
      readonly warnings: readonly Problem[]
    }

const source = 'bundle.json'
const bytesMax = 4 * 1024 * 1024
const depthMax = 64
/** Schemas are made into programs, which takes a while. */
const definitionBytesMax = 256 * 1024
const builtIn = ['install', 'upgrade', 'uninstall']
const schemaHint = 'Write one of v1.0.0, 1.1.0 and 1.2.0.'
const versionHint = 'Write "version": "1.2.3".'
const known = [
  ...['schemaVersion', 'name', 'version', 'description', 'keywords', 'license', 'maintainers'],
  ...['invocationImages', 'images', 'parameters', 'credentials', 'outputs', 'definitions', 'actions'],
  ...['custom', 'requiredExtensions'],
]

/** Reads the bytes of a bundle.json. */
export function readBundle(bytes: Uint8Array): BundleReading {
  return reading(bytes, (bundle, faults) => {
    judgeDefinitions(bundle, faults)
    judgeAims(bundle, faults)
    for (const twice of repeatedKeys(new TextDecoder().decode(bytes)))
      faults.warning('cnab.bundle.questionable', twice, 'is there twice; the last counts')
  })
}

/** The same for bytes that were read before: their definitions need no judging again. */
export function readAgain(bytes: Uint8Array): BundleReading {
  return reading(bytes, () => undefined)
}

function reading(bytes: Uint8Array, judge: typeof judgeDefinitions): BundleReading {
  const faults = collectFaults(source)
  const document = documentOf(bytes, faults)
  const bundle = document && bundleOf({ value: document, at: '', faults })
  if (bundle) judge(bundle, faults)
  const at = placing(bytes, document !== undefined, [...faults.problems, ...faults.warnings])
  const [first, ...rest] = faults.problems.map(at)
  if (first === undefined && bundle) return { kind: 'bundle', bundle, warnings: faults.warnings.map(at) }
  return {
    kind: 'refused',
    problems: [first ?? { code: 'cnab.bundle.not-json' }, ...rest],
    warnings: faults.warnings.map(at),
  }
}

/** Adds line and column to problems; a text that could not be parsed says itself where it breaks off. */
function placing(
  bytes: Uint8Array,
  isParsed: boolean,
  problems: readonly Problem[],
): (problem: Problem) => Problem {
  if (!isParsed) return broken
  if (problems.length === 0) return (problem) => problem
  const pointerOf = ({ where }: Problem) => where?.pointer ?? ''
  const positions = positionsOf(new TextDecoder().decode(bytes), problems.map(pointerOf))
  return (problem) => ({ ...problem, where: { ...problem.where, ...positions.get(pointerOf(problem)) } })
}

function broken(problem: Problem): Problem {
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(problem.detail ?? '') ?? []
  if (line === undefined) return problem
  return { ...problem, where: { ...problem.where, line: Number(line), column: Number(column) } }
}

function documentOf(bytes: Uint8Array, faults: Faults): JsonObject | undefined {
  if (bytes.byteLength > bytesMax) {
    faults.problem('cnab.bundle.too-large', '', `it has ${bytes.byteLength} bytes, more than ${bytesMax}`)
    return undefined
  }
  const value = parsed(bytes)
  if (typeof value === 'string') faults.problem('cnab.bundle.not-json', '', value)
  else if (depth(value, depthMax + 1) > depthMax)
    faults.problem('cnab.bundle.too-large', '', `it is nested more than ${depthMax} deep`)
  else return value
  return undefined
}

/** The object, or what is wrong with the text. */
function parsed(bytes: Uint8Array): JsonObject | string {
  try {
    const value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return isObject(value) ? (value as JsonObject) : 'it is no object'
  } catch (error) {
    return error instanceof SyntaxError
      ? error.message.replace(/,? (?:\.{3})?"[\s\S]*$/, '')
      : 'it is not UTF-8'
  }
}

function bundleOf(node: Node): Bundle | undefined {
  const { value, faults } = node
  const buildFile = buildFileOf(value)
  if (buildFile !== undefined) {
    faults.problem('cnab.bundle.not-a-bundle', '', `it is ${buildFile}`)
    return undefined
  }
  for (const { key, meant, hint: usual } of strayKeys(value, known)) {
    const detail = meant === undefined ? '' : `; did you mean "${meant}"?`
    const hint = meant === undefined ? 'Take it out, or put it below "custom".' : usual
    faults.warning('cnab.bundle.questionable', pointer('', key), `is not known${detail}`, hint)
  }
  const legacy = isLegacy(node)
  if (legacy) faults.warning('cnab.bundle.legacy', '', legacyReason(node))
  const values = readValues(node)
  const definitions = { ...mapOf(node, 'definitions'), ...values.definitions } as Bundle['definitions']
  const bundle: Bundle = {
    legacy,
    schemaVersion: schemaVersionOf(node, legacy),
    name: nameOf(node),
    version: versionOf(node),
    description: textOf(node, 'description') ?? '',
    ...given('license', textOf(node, 'license')),
    keywords: textsOf(node, 'keywords'),
    maintainers: nodesOfList(node, 'maintainers').map(maintainerOf),
    ...readImages(node),
    ...values,
    definitions,
    actions: actionsOf(node),
    custom: mapOf(node, 'custom'),
    requiredExtensions: extensionsOf(node),
  }
  return bundle
}

/** Without its name, version and images it is nothing, however old. */
function isLegacy(node: Node): boolean {
  const { value } = node
  const whole = ['name', 'version', 'invocationImages'].every((key) => (value[key] ?? null) !== null)
  const parameters = isObject(value['parameters']) ? Object.values(value['parameters']) : []
  const describesItself = parameters.some(
    (one) => isObject(one) && isLegacyParameter({ ...node, value: one as JsonObject }),
  )
  return whole && ((value['schemaVersion'] ?? null) === null || describesItself)
}

function legacyReason({ value }: Node): string {
  return (value['schemaVersion'] ?? null) === null
    ? 'it has no schemaVersion'
    : 'its parameters have types instead of definitions'
}

function schemaVersionOf(node: Node, legacy: boolean): string {
  const text = textOf(node, 'schemaVersion') ?? ''
  if (text === '' && legacy) return ''
  const verdict = judgeSchemaVersion(text)
  if (verdict === 'invalid') {
    const detail = `invalid schema version ${JSON.stringify(text)}: Invalid Semantic Version`
    node.faults.problem('cnab.bundle.invalid', '/schemaVersion', detail, 'Write "schemaVersion": "v1.0.0".')
  } else if (verdict === 'unknown') {
    node.faults.warning(
      'cnab.bundle.questionable',
      '/schemaVersion',
      `${text} is not a known version`,
      schemaHint,
    )
  }
  return text
}

function nameOf(node: Node): string {
  const text = textOf(node, 'name') ?? ''
  if (!isGraphic(text) || text.length > 255) {
    const detail = 'must be a name of at most 255 printable characters'
    node.faults.problem('cnab.bundle.invalid', '/name', detail, 'Write "name": "my-bundle".')
  }
  return text
}

function versionOf(node: Node): string {
  const text = textOf(node, 'version') ?? ''
  const verdict = judgeBundleVersion(text)
  if (verdict === 'invalid')
    node.faults.problem(
      'cnab.bundle.invalid',
      '/version',
      `'${text}' is not a valid bundle version`,
      versionHint,
    )
  if (verdict === 'warn')
    node.faults.warning(
      'cnab.bundle.questionable',
      '/version',
      `${text} is no full semantic version`,
      versionHint,
    )
  return text
}

function maintainerOf(node: Node): Maintainer {
  warnOfKeys(node, 'maintainer')
  return {
    name: textOf(node, 'name') ?? '',
    ...given('email', textOf(node, 'email')),
    ...given('url', textOf(node, 'url')),
  }
}

function actionsOf(node: Node): Readonly<Record<string, DeclaredAction>> {
  return Object.fromEntries(
    nodesOfMap(node, 'actions').map(([name, action]) => {
      warnOfKeys(action, 'action')
      if (builtIn.includes(name))
        action.faults.problem(
          'cnab.bundle.invalid',
          action.at,
          `${name} is always there and not declared`,
          'Take it out.',
        )
      if (!isGraphic(name)) action.faults.problem('cnab.bundle.invalid', action.at, 'has no printable name')
      return [
        name,
        {
          ...given('title', textOf(action, 'title')),
          ...given('description', textOf(action, 'description')),
          modifies: flagOf(action, 'modifies') ?? false,
          stateless: flagOf(action, 'stateless') ?? false,
        },
      ]
    }),
  )
}

function extensionsOf(node: Node): readonly string[] {
  const { value, faults } = node
  const names = textsOf(node, 'requiredExtensions')
  const custom = isObject(value['custom']) ? value['custom'] : {}
  for (const [i, name] of names.entries()) {
    const at = pointer('/requiredExtensions', i)
    if (names.indexOf(name) < i)
      faults.problem(
        'cnab.bundle.invalid',
        at,
        `required extension '${name}' is already declared`,
        'Name it once.',
      )
    if (Object.hasOwn(custom, name)) continue
    const detail = `required extension '${name}' is not defined in the Custom section of the bundle`
    const near = nearest(name, Object.keys(custom))
    const hint =
      near === undefined ? `Add "${name}" to "custom".` : `Write "${near}", or add "${name}" to "custom".`
    faults.problem('cnab.extension.undeclared', at, detail, hint)
  }
  return [...new Set(names)]
}

/** Every definition is a schema, every default keeps to its own, and every name that is used is there. */
function judgeDefinitions(bundle: Bundle, faults: Faults): void {
  const size = Buffer.byteLength(JSON.stringify(bundle.definitions))
  if (size > definitionBytesMax) {
    const detail = `they have ${size} bytes together, more than ${definitionBytesMax}`
    faults.problem('cnab.bundle.too-large', '/definitions', detail)
    return
  }
  for (const [name, definition] of Object.entries(bundle.definitions))
    judgeDefinition(definition, pointer('/definitions', name), faults)
  for (const kind of ['parameters', 'outputs'] as const) {
    for (const [name, { definition }] of Object.entries(bundle[kind])) {
      if (definition === '' || Object.hasOwn(bundle.definitions, definition)) continue
      const at = pointer(pointer(`/${kind}`, name), 'definition')
      const near = nearest(definition, Object.keys(bundle.definitions))
      const hint =
        near === undefined
          ? `Add "${definition}" to "definitions".`
          : `Write "${near}", or add "${definition}" to "definitions".`
      faults.problem('cnab.definition.missing', at, `unable to find definition for ${name}`, hint)
    }
  }
}

function judgeDefinition(definition: Definition, at: string, faults: Faults): void {
  const isSchema = typeof definition === 'boolean' || isObject(definition)
  const compiled = isSchema ? compileDefinition(definition) : undefined
  if (compiled?.kind !== 'check') {
    const detail = compiled?.kind === 'refused' ? compiled.message : 'must be a JSON Schema'
    faults.problem('cnab.definition.invalid', at, detail)
    return
  }
  if (isObject(definition)) warnOfKeywords({ value: definition as JsonObject, at, faults })
  const preset = defaultOf(definition)
  const wrong = preset === undefined ? [] : faultsOf(definition, preset.value)
  for (const { pointer: inner, message } of wrong)
    faults.problem(
      'cnab.definition.default',
      `${at}/default${inner}`,
      message,
      'Give a default that its own schema takes.',
    )
}
