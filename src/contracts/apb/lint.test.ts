import { expect, test } from 'vitest'
import { lintSpec } from './lint.ts'

/** A spec without findings, with lines replaced. */
function specWith(changes: Readonly<Record<string, string>> = {}): string {
  const lines = {
    version: 'version: 1.0',
    name: 'name: queue-apb',
    description: 'description: A queue',
    bindable: 'bindable: true',
    async: 'async: optional',
    metadata: 'metadata: {displayName: Queue}',
    plans: 'plans:',
    plan: '  - {name: small, description: Small, free: true, metadata: {}, ',
    parameters: 'parameters: []}',
    more: '',
    ...changes,
  }
  return Object.values(lines).join('\n').replace(', \n', ', ')
}

const parameters = (...list: readonly string[]) => ({ parameters: `parameters: [${list.join(', ')}]}` })

function linesOf(text: string, registry = 'dh') {
  const { problems, warnings } = lintSpec(text, { registry, runtime: 2 })
  const line = (kind: string) => (one: (typeof problems)[number]) =>
    `${kind} ${one.where?.line}: ${one.detail}`
  return [...problems.map(line('error')), ...warnings.map(line('warning'))]
}

test('a spec that is in order has no findings, and tells the name of its service', () => {
  expect(lintSpec(specWith(), { registry: 'dh', runtime: 2 })).toEqual({
    problems: [],
    warnings: [],
    service: 'dh-queue-apb',
  })
})

test.each<[string, Readonly<Record<string, string>>, string]>([
  [
    'a version that no broker takes',
    { version: 'version: 2.0' },
    'error 1: Spec [queue-apb] failed version validation',
  ],
  [
    'a parameter without a type',
    parameters('{name: a}'),
    'error 8: Could not find the parameter type for:  (parameter a)',
  ],
  ['a missing name', { name: '' }, 'warning 1: Spec is not valid. `name` field not found.'],
  [
    'a missing member that authoring tools demand',
    { metadata: '' },
    'warning 1: Spec is not valid. `metadata` field not found.',
  ],
  [
    'an unknown word for async',
    { async: 'async: sometimes' },
    'warning 5: Spec is not valid. sometimes is not a valid `async` option.',
  ],
  [
    'a quoted boolean',
    { bindable: 'bindable: "True"' },
    'warning 4: bindable is a quoted text, not true or false, and counts as false',
  ],
  [
    'no description',
    { description: 'description: ""' },
    'warning 3: the description is empty; platforms show the name',
  ],
  [
    'a plan without what authoring tools demand',
    { plan: '  - {name: small, description: x, free: true, ' },
    'warning 8: Spec is not valid. Plan small is missing a `metadata` field.',
  ],
  [
    'a plan without a name',
    { plan: '  - {description: x, free: true, metadata: {}, ' },
    'warning 8: Spec is not valid. Plan name not found.',
  ],
  [
    'a name that is cut',
    { name: `name: ${'long-'.repeat(12)}` },
    'warning 2: the name is too long: the service is called dh-long-long-long-long-long-long-long-long-long-lon, and so may be another one',
  ],
  [
    'a name that platforms refuse',
    { name: 'name: Queue_apb' },
    'warning 2: dh-Queue_apb has signs that platforms refuse in the name of a service',
  ],
  [
    'capital Parameters',
    { parameters: 'Parameters: []}' },
    'warning 8: Parameters is no key of a plan and is read as parameters, but by no other broker',
  ],
  [
    'a target that is no plan',
    { plan: '  - {updates_to: [big], name: small, description: x, free: true, metadata: {}, ' },
    'warning 8: plan small updates to big, which is no plan',
  ],
  [
    'an updatable parameter that the target lacks',
    {
      plan: '  - {updates_to: [big], name: small, description: x, free: true, metadata: {}, ',
      ...parameters('{name: a, type: int, updatable: true}'),
      more: '  - {name: big, description: x, free: true, metadata: {}, parameters: []}',
    },
    'warning 8: a is updatable, and plan big has no such parameter',
  ],
  [
    'a default that its type does not allow',
    parameters('{name: a, type: int, default: many}'),
    'warning 8: a: not of its type',
  ],
  [
    'a default that is no choice',
    parameters('{name: a, type: enum, enum: [x], default: y}'),
    'warning 8: a: must be one of "x"',
  ],
  [
    'a default that breaks its pattern',
    parameters('{name: a, type: string, pattern: "^b$", default: c}'),
    'warning 8: a: must match ^b$',
  ],
  [
    'a pattern of another dialect',
    parameters('{name: a, type: string, pattern: "(?=x)y"}'),
    'warning 8: Invalid pattern: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
  ],
  ['an enum without values', parameters('{name: a, type: enum}'), 'warning 8: a is an enum without values'],
  [
    'an enum of another type',
    parameters('{name: a, type: int, enum: [1, few]}'),
    'warning 8: a: some values of the enum are not of its type',
  ],
  [
    'a parameter twice',
    parameters('{name: a, type: int}', '{name: a, type: int}'),
    'warning 8: the parameter a is declared twice; the last one counts',
  ],
  [
    'a secret that is shown',
    parameters('{name: admin_password, type: string}'),
    'warning 8: admin_password is not hidden: write display_type: password',
  ],
  [
    'a dependency on nothing',
    parameters('{name: a, type: int, dependencies: [{key: b, value: 1}]}'),
    'warning 8: a depends on b, which is no parameter',
  ],
  [
    'a dependency on an impossible value',
    parameters(
      '{name: b, type: enum, enum: [x]}',
      '{name: a, type: int, dependencies: [{key: b, value: z}]}',
    ),
    'warning 8: a depends on a value that b cannot have: z',
  ],
  [
    'required, but not always',
    parameters(
      '{name: b, type: enum, enum: [x]}',
      '{name: a, type: int, required: true, dependencies: [{key: b, value: x}]}',
    ),
    'warning 8: a depends on another parameter, and is required only where that one has its value',
  ],
  [
    'a spelling of other tools',
    parameters('{name: a, type: string, maxLength: 3}'),
    'warning 8: maxLength is no key of a parameter and is read as max_length, but by no other broker',
  ],
  [
    'a misspelt key',
    parameters('{name: a, type: string, requierd: true}'),
    'warning 8: requierd is no key of a parameter; did you mean required?',
  ],
])('lint tells %s with its line', (_, changes, expected) => {
  expect(linesOf(specWith(changes))).toContain(expected)
})

test('all findings are told at once, in the order of the document', () => {
  const text = specWith({ version: 'version: 1', bindable: 'bindable: "no"', async: 'async: never' })

  expect(linesOf(text).map((line) => line.split(':')[0])).toEqual(['error 1', 'warning 4', 'warning 5'])
})

test('what is no YAML is one error at its place', () => {
  expect(linesOf('version: 1.0\nname: [')).toEqual([expect.stringMatching(/^error 2: /)])
})
