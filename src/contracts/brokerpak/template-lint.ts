/** Templates against the definition around them: what does not parse, is not declared, is not made. */

import { nearest } from '../../kit/text.ts'
import { placeOf } from '../../languages/place.ts'
import { adoptionInput } from './adopt.ts'
import { type Definition, type Input, type PakAction, templatesOf } from './definition.ts'
import { namesUsed } from './expression-lint.ts'
import type { Finding } from './finding.ts'
import { type Block, namesOf, readHcl } from './hcl.ts'

/** What no order survives, and what is likely not meant. */
export interface TemplateFindings {
  readonly faults: readonly Finding[]
  readonly doubts: readonly Finding[]
}

/** Of both actions. */
export function templateFindings(definition: Definition): TemplateFindings {
  const [provision, bind] = (['provision', 'bind'] as const).map((path) =>
    actionFindings(definition[path], path),
  )
  return {
    faults: [...(provision?.faults ?? []), ...(bind?.faults ?? [])],
    doubts: [...(provision?.doubts ?? []), ...(bind?.doubts ?? [])],
  }
}

interface Declared {
  readonly name: string
  readonly template: string
  readonly text: string
  readonly at: number
}

function actionFindings(action: PakAction, path: string): TemplateFindings {
  const templates = templatesOf(action)
  const broken = Object.entries(templates).flatMap(([template, text]) => syntaxFinding(text, template, path))
  if (broken.length > 0) return { faults: broken, doubts: [] }
  const blocks = Object.entries(templates).flatMap(([template, text]) => blocksOf(text, template))
  const of = (type: string): readonly Declared[] =>
    blocks.flatMap(({ block, ...where }) =>
      block.type === type ? [{ ...where, name: block.labels[0] ?? '', at: block.at }] : [],
    )
  const [variables, outputs] = [of('variable'), of('output')]
  return {
    faults: [...undeclared(action, variables, path), ...unmatchedOutputs(action, outputs, path)],
    doubts: [
      ...repeated(variables, 'variable', path),
      ...repeated(outputs, 'output', path),
      ...Object.entries(templates).flatMap(([template, text]) =>
        unknownVariables({ template, text }, variables, path),
      ),
      ...(variables.length === 0 && blocks.length === 0 ? [] : unusedInputs(action, variables, path)),
      ...attributesOf(action, blocks, path),
    ],
  }
}

function blocksOf(
  text: string,
  template: string,
): readonly { block: Block; template: string; text: string }[] {
  const reading = readHcl(text)
  return reading.kind === 'fault' ? [] : reading.body.blocks.map((block) => ({ block, template, text }))
}

function finding(
  words: string,
  fix: string,
  path: string,
  at: Pick<Declared, 'template' | 'text' | 'at'>,
): Finding {
  return {
    text: words,
    fix,
    path: fieldOf(path, at.template),
    within: { template: at.template, ...placeOf(at.text, at.at) },
  }
}

/** The single template has a field of its own. */
function fieldOf(path: string, template: string): string {
  return template === 'definition' ? `${path}.template` : `${path}.templates.${template}`
}

const remedies: readonly (readonly [RegExp, string])[] = [
  [/^Unclosed/, 'Close the block with "}".'],
  [/newline/, 'Begin a new line here.'],
  [/^Argument or block definition required.*equals sign/, 'Write NAME = VALUE.'],
  [/^Invalid expression/, 'Write a value behind "=".'],
  [/quoted/, 'Leave the quotes out.'],
  [/labels/, 'Give the block one name, in quotes.'],
]

function syntaxFinding(text: string, template: string, path: string): readonly Finding[] {
  const names = namesOf(text)
  if (!('fault' in names)) return []
  const [, line = '1', column = '1', words = names.fault] =
    /^:(\d+),(\d+)-\d+: (.*)$/s.exec(names.fault) ?? []
  const fix = remedies.find(([pattern]) => pattern.test(words))?.[1] ?? 'Correct the template.'
  const within = { template, line: Number(line), column: Number(column) }
  return [{ text: words, fix, path: fieldOf(path, template), within }]
}

function inputsOf({ planInputs, userInputs, computedInputs }: PakAction): readonly string[] {
  return [...planInputs, ...userInputs, ...computedInputs].map(({ name }) => name)
}

function undeclared(action: PakAction, variables: readonly Declared[], path: string): readonly Finding[] {
  const inputs = inputsOf(action)
  return variables
    .filter(({ name }, i) => !inputs.includes(name) && variables.findIndex((one) => one.name === name) === i)
    .map((one) => {
      const meant = nearest(one.name, inputs)
      const declare = `Declare it among ${path}.user_inputs, plan_inputs or computed_inputs`
      const fix = meant === undefined ? `${declare}.` : `Write "${meant}", or declare ${one.name}.`
      return finding(`no input declares the variable ${one.name}`, fix, path, one)
    })
}

function unmatchedOutputs(action: PakAction, made: readonly Declared[], path: string): readonly Finding[] {
  const declared = action.outputs.map(({ name }) => name)
  const strange = made.filter(({ name }) => !declared.includes(name) && name !== 'status')
  const names = made.map(({ name }) => name)
  const strangers = strange.map(({ name }) => name)
  return [
    ...strange.map((one) => {
      const meant = nearest(one.name, declared)
      const fix =
        meant === undefined ? `Add it to ${path}.outputs.` : `Write "${meant}", or add it to ${path}.outputs.`
      return finding(`no output ${one.name} is declared`, fix, path, one)
    }),
    ...action.outputs.flatMap(({ name }, i): readonly Finding[] => {
      const at = `${path}.outputs[${i}]`
      if (declared.indexOf(name) < i)
        return [{ text: `the output ${name} is declared twice`, path: at, fix: 'Remove one of them.' }]
      if (name === '' || names.includes(name)) return []
      const meant = nearest(name, strangers)
      const fix = meant === undefined ? `Add output "${name}" to the template.` : `Write "${meant}".`
      return [{ text: `the template makes no output ${name}`, path: at, fix }]
    }),
  ]
}

function repeated(declared: readonly Declared[], what: string, path: string): readonly Finding[] {
  return declared
    .filter(({ name }, i) => declared.findIndex((one) => one.name === name) < i)
    .map((one) => finding(`the ${what} ${one.name} is there twice`, 'Remove one of them.', path, one))
}

/** Comments and texts without interpolation name nothing. */
function unknownVariables(
  { template, text }: Pick<Declared, 'template' | 'text'>,
  variables: readonly Declared[],
  path: string,
): readonly Finding[] {
  const names = variables.map(({ name }) => name)
  const plain = text.replaceAll(/"(?:\\.|[^"\\\n])*"|(?:#|\/\/)[^\n]*|\/\*[\s\S]*?\*\//g, (found) =>
    found.startsWith('"') ? found : found.replaceAll(/[^\n]/g, ' '),
  )
  return [...plain.matchAll(/(?<![\w."-])var\.([A-Za-z_][\w-]*)/g)]
    .filter(([, name = '']) => !names.includes(name))
    .map((found) => {
      const [, name = ''] = found
      const meant = nearest(name, names)
      const fix = meant === undefined ? `Add variable "${name}" to the template.` : `Write "var.${meant}".`
      return finding(`there is no variable ${name}`, fix, path, { template, text: plain, at: found.index })
    })
}

function unusedInputs(action: PakAction, variables: readonly Declared[], path: string): readonly Finding[] {
  const names = variables.map(({ name }) => name)
  const used = new Set([...namesUsed(action), adoptionInput])
  const of = (list: readonly { readonly name: string }[], field: string): readonly Finding[] =>
    list.flatMap(({ name }, i) => {
      if (name === '' || names.includes(name) || used.has(name)) return []
      const meant = nearest(name, names)
      const fix =
        meant === undefined ? `Add variable "${name}" to the template, or remove it.` : `Write "${meant}".`
      return [{ text: `nothing uses the input ${name}`, path: `${path}.${field}[${i}]`, fix }]
    })
  return [
    ...of(action.planInputs, 'plan_inputs'),
    ...of(action.userInputs, 'user_inputs'),
    ...of(action.computedInputs, 'computed_inputs'),
  ]
}

/** Inputs that are read from the state name a resource that the templates make. */
function attributesOf(
  { userInputs }: PakAction,
  blocks: readonly { readonly block: Block }[],
  path: string,
): readonly Finding[] {
  const of = blocks.flatMap(({ block }) => (block.type === 'resource' ? [block.labels.join('.')] : []))
  if (of.length === 0) return []
  return userInputs.flatMap(({ tfAttribute }: Input, i) => {
    const resource = tfAttribute.split('.').slice(0, 2).join('.')
    if (tfAttribute === '' || of.includes(resource)) return []
    const meant = nearest(resource, of)
    const fix = meant === undefined ? `Name one of ${of.join(', ')}.` : `Write "${meant}".`
    return [
      {
        text: `the template makes no resource ${resource}`,
        path: `${path}.user_inputs[${i}].tf_attribute`,
        fix,
      },
    ]
  })
}
