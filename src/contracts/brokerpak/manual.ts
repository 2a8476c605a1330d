/** What a pak says of its services to people ordering them, as Markdown. */
import type { Json, JsonObject } from '../../kit/json.ts'
import type { Definition, Input, PakPlan } from './definition.ts'

/** One section per service; the same definitions always make the same text. */
export function manualOf(definitions: readonly Definition[]): string {
  return definitions.map((definition) => sectionOf(definition)).join(`\n${'-'.repeat(80)}\n\n`)
}

function sectionOf(definition: Definition): string {
  const { name, displayName, imageUrl, description, id, tags, provision, bind, plans, examples } = definition
  return [
    `# <a name="${name}"></a> ![](${imageUrl}) ${displayName}`,
    description,
    '',
    ` * [Documentation](${definition.documentationUrl})`,
    ` * [Support](${definition.supportUrl})`,
    ` * Catalog Metadata ID: ${code(id)}`,
    ` * Tags: ${tags.join(', ')}`.trimEnd(),
    ` * Service Name: ${code(name)}`,
    '',
    '## Provisioning',
    ...parametersOf('Request Parameters', provision.userInputs),
    '',
    '## Binding',
    ...parametersOf('Request Parameters', bind.userInputs),
    ...parametersOf('Response Parameters', [...provision.outputs, ...bind.outputs]),
    '',
    '## Plans',
    '',
    ...(plans.length === 0 ? ['_The operator adds the plans._'] : plans.flatMap(planLines)),
    '',
    '## Examples',
    ...(examples.length === 0
      ? ['', '_No examples._']
      : examples.flatMap((example) => exampleLines(example, definition))),
    '',
  ].join('\n')
}

function parametersOf(title: string, inputs: readonly Input[]): readonly string[] {
  const lines = inputs.flatMap(inputLines)
  return ['', `**${title}**`, '', ...(lines.length === 0 ? ['_No parameters supported._'] : lines)]
}

function inputLines(input: Input): readonly string[] {
  const { name, type, required, details, default: value } = input
  const words = [
    ...(required ? ['**Required**'] : []),
    ...(details === '' ? [] : [oneLine(details)]),
    ...(value === null ? [] : [`Default: ${code(textOf(value))}.`]),
  ]
  const kind = type === '' ? '' : ` _${type}_`
  return [
    ` * ${code(name)}${kind} - ${words.join(' ')}`.trimEnd(),
    ...sentencesOf(input).map((sentence) => `    * ${sentence}`),
  ]
}

const sentences: Readonly<Record<string, (value: string) => string>> = {
  examples: (value) => `Examples: [${value}].`,
  minLength: (value) => `The string must have at least ${value} characters.`,
  maxLength: (value) => `The string must have at most ${value} characters.`,
  pattern: (value) => `The string must match the regular expression ${code(value)}.`,
  minimum: (value) => `The value must be at least ${value}.`,
  maximum: (value) => `The value must be at most ${value}.`,
  exclusiveMinimum: (value) => `The value must be more than ${value}.`,
  exclusiveMaximum: (value) => `The value must be less than ${value}.`,
  multipleOf: (value) => `The value must be a multiple of ${value}.`,
  minItems: (value) => `There must be at least ${value} items.`,
  maxItems: (value) => `There must be at most ${value} items.`,
  minProperties: (value) => `There must be at least ${value} properties.`,
  maxProperties: (value) => `There must be at most ${value} properties.`,
  const: (value) => `The value must be ${code(value)}.`,
}

function sentencesOf({ constraints, allowed, nullable, prohibitUpdate }: Input): readonly string[] {
  const held = Object.entries(constraints).flatMap(([name, value]) => sentences[name]?.(textOf(value)) ?? [])
  return [
    ...held.sort(),
    ...(allowed === undefined ? [] : [`The value must be one of: [${allowed.map(textOf).join(' ')}].`]),
    ...(nullable ? ['The value may be null.'] : []),
    ...(prohibitUpdate ? ['The value cannot be changed later.'] : []),
  ]
}

function planLines(plan: PakPlan): readonly string[] {
  return [
    `* **${code(plan.name)}**`,
    `  * Plan ID: ${code(plan.id)}.`,
    `  * Description: ${oneLine(plan.description)}`,
    `  * ${overridden('provision', plan.provisionOverrides)}`,
    `  * ${overridden('bind', plan.bindOverrides)}`,
  ]
}

function overridden(action: string, values: JsonObject): string {
  const names = Object.keys(values)
  if (names.length === 0) return `This plan doesn't override user variables on ${action}.`
  const list = names.map((name) => `${code(name)} to ${code(textOf(values[name] ?? null))}`)
  return `This plan sets on ${action}: ${list.join(', ')}.`
}

function exampleLines(
  { name, description, planId, provisionParams, bindParams }: Definition['examples'][number],
  { name: service, plans }: Definition,
): readonly string[] {
  const plan = plans.find(({ id }) => id === planId)?.name ?? planId
  const instance = `my-${service}`
  return [
    '',
    `### ${name}`,
    '',
    description,
    `Uses plan: ${code(planId)}.`,
    '',
    ...documentLines('Provision', provisionParams),
    ...documentLines('Bind', bindParams),
    '**Cloud Foundry**',
    '',
    '```sh',
    `cf create-service ${service} ${plan} ${instance} -c ${shellWord(provisionParams)}`,
    `cf bind-service my-app ${instance} -c ${shellWord(bindParams)}`,
    '```',
  ]
}

function documentLines(title: string, value: JsonObject): readonly string[] {
  return [`**${title}**`, '', '```json', JSON.stringify(value, null, 2), '```', '']
}

function shellWord(value: JsonObject): string {
  return `'${JSON.stringify(value).replaceAll("'", String.raw`'\''`)}'`
}

/** A span of code; a fence longer than any inside keeps backticks in. */
function code(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  const pad = longest === 0 ? '' : ' '
  return `${fence}${pad}${oneLine(text)}${pad}${fence}`
}

function oneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ')
}

function textOf(value: Json): string {
  if (Array.isArray(value)) return value.map(textOf).join(' ')
  return typeof value === 'string' ? value : JSON.stringify(value)
}
