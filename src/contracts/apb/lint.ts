/** What authors should know of a spec before anybody meets it: each finding at its place in the document. */
import { isObject } from '../../kit/json.ts'
import { nearest } from '../../kit/text.ts'
import type { YamlMap, YamlPlace, YamlTree } from '../../kit/yaml-tree.ts'
import type { Problem } from '../../model/problem.ts'
import { Fields, type Findings, found } from './fields.ts'
import { examineSpec } from './format.ts'
import { serviceName } from './names.ts'
import { readParameter } from './parameter.ts'
import type { Parameter, Spec } from './spec.ts'
import { judgeValues, typedDefault, typedEnum } from './values.ts'

export interface SpecLint {
  /** Each of them keeps the bundle out of every catalog. */
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
  /** The name of the service, where the spec can be read. */
  readonly service?: string
}

/** Everything that can be said about the text of an `apb.yml`, in the order of its lines. */
export function lintSpec(
  text: string,
  { registry, runtime }: { readonly registry: string; readonly runtime: number },
): SpecLint {
  const { problems, warnings, read } = examineSpec(text, runtime)
  if (read === undefined) return { problems, warnings }
  const { spec, root } = read
  const advice = [...adviceOfTop(root, spec), ...adviceOfName(root, spec, registry), ...adviceOfPlans(root)]
  return {
    problems: inOrder(problems),
    warnings: inOrder([...warnings, ...advice]),
    service: serviceName(registry, spec.name),
  }
}

function inOrder(problems: readonly Problem[]): readonly Problem[] {
  return [...problems].sort((a, b) => (a.where?.line ?? 0) - (b.where?.line ?? 0))
}

function advice(detail: string, at: YamlPlace, hint: string): Problem {
  return found('apb.spec.advice', detail, at, hint)
}

/** As the original's `apb prepare` demands it; its broker never asked. */
const neededTop = ['name', 'description', 'bindable', 'async', 'metadata', 'plans']
const neededOfPlan = ['description', 'free', 'metadata', 'parameters']
/** How what is missing is written. */
const examples: Readonly<Record<string, string>> = {
  bindable: 'bindable: true',
  async: 'async: optional',
  metadata: 'metadata: {}',
  free: 'free: true',
  parameters: 'parameters: []',
  plans: 'plans: […]',
}
const asyncWords = ['required', 'optional', 'unsupported']

function adviceOfTop(root: YamlMap, spec: Spec): readonly Problem[] {
  const missing = neededTop.filter((key) => !root.members.has(key))
  const isAsync = asyncWords.includes(spec.async)
  return [
    ...missing.map((key) =>
      advice(
        `Spec is not valid. \`${key}\` field not found.`,
        root.at,
        `Add ${examples[key] ?? `${key}: …`}`,
      ),
    ),
    ...(isAsync || missing.includes('async')
      ? []
      : [
          advice(
            `Spec is not valid. ${spec.async} is not a valid \`async\` option.`,
            root.keys.get('async') ?? root.at,
            `Write async: ${nearest(spec.async, asyncWords) ?? 'optional, required or unsupported'}.`,
          ),
        ]),
    ...(spec.description === '' && !missing.includes('description')
      ? [
          advice(
            'the description is empty; platforms show the name',
            root.keys.get('description') ?? root.at,
            'Say in a sentence what it is.',
          ),
        ]
      : []),
  ]
}

function adviceOfName(root: YamlMap, { name }: Spec, registry: string): readonly Problem[] {
  const at = root.keys.get('name') ?? root.at
  const whole = `${registry}-${name}`.replace(/[/.:-]/g, '-')
  const service = serviceName(registry, name)
  return [
    ...([...whole].length > [...service].length
      ? [
          advice(
            `the name is too long: the service is called ${service}, and so may be another one`,
            at,
            'Choose a shorter name.',
          ),
        ]
      : []),
    ...(/^[a-z0-9-]+$/.test(service)
      ? []
      : [
          advice(
            `${service} has signs that platforms refuse in the name of a service`,
            at,
            'Use small letters, digits and -.',
          ),
        ]),
  ]
}

interface PlanAt {
  readonly name: string
  readonly fields: Fields
  readonly parameters: readonly ParameterAt[]
  readonly bindParameters: readonly ParameterAt[]
}

interface ParameterAt {
  readonly parameter: Parameter
  readonly fields: Fields
}

const quiet = (): Findings => ({ problems: [], warnings: [], lenient: true })

function adviceOfPlans(root: YamlMap): readonly Problem[] {
  const plans = mapsIn(root, 'plans').map(planAt)
  return plans.flatMap((plan) => [
    ...adviceOfPlan(plan, plans),
    ...adviceOfParameters(plan.parameters),
    ...adviceOfParameters(plan.bindParameters),
  ])
}

function planAt(map: YamlMap): PlanAt {
  const fields = new Fields(map, quiet())
  const parametersAt = (key: string): readonly ParameterAt[] =>
    mapsIn(map, key).flatMap((tree) => {
      const parameter = readParameter(tree, quiet())
      return parameter === undefined ? [] : [{ parameter, fields: new Fields(tree, quiet()) }]
    })
  return {
    name: fields.text('name'),
    fields,
    parameters: parametersAt(fields.spelling('parameters', ['Parameters'], 'plan')),
    bindParameters: parametersAt('bind_parameters'),
  }
}

function mapsIn(map: YamlMap, key: string): readonly YamlMap[] {
  const tree = map.members.get(key)
  return tree?.kind === 'list' ? tree.items.filter(isMapTree) : []
}

function isMapTree(tree: YamlTree): tree is YamlMap {
  return tree.kind === 'map'
}

function adviceOfPlan({ name, fields, parameters }: PlanAt, plans: readonly PlanAt[]): readonly Problem[] {
  const missing = neededOfPlan.filter((key) => fields.tree(key) === undefined)
  const targets = fields.texts('updates_to')
  return [
    ...(name === '' ? [advice('Spec is not valid. Plan name not found.', fields.map.at, 'Add name: …')] : []),
    ...missing.map((key) =>
      advice(
        `Spec is not valid. Plan ${name} is missing a \`${key}\` field.`,
        fields.map.at,
        `Add ${examples[key] ?? `${key}: …`}`,
      ),
    ),
    ...targets.flatMap((target) => {
      const to = plans.find((plan) => plan.name === target)
      const at = fields.at('updates_to')
      if (to === undefined) {
        const near = nearest(
          target,
          plans.map((plan) => plan.name),
        )
        const hint = `Name one of ${plans.map((plan) => plan.name).join(', ')}${near === undefined ? '' : `; you may mean ${near}`}.`
        return [advice(`plan ${name} updates to ${target}, which is no plan`, at, hint)]
      }
      return parameters
        .filter(({ parameter }) => parameter.updatable)
        .filter((one) => !to.parameters.some(({ parameter }) => parameter.name === one.parameter.name))
        .map((one) =>
          advice(
            `${one.parameter.name} is updatable, and plan ${target} has no such parameter`,
            at,
            `Declare ${one.parameter.name} in plan ${target}, too.`,
          ),
        )
    }),
  ]
}

const parameterKeys = [
  ...['name', 'title', 'type', 'description', 'default', 'enum', 'required', 'updatable', 'pattern'],
  ...[
    'maxlength',
    'max_length',
    'min_length',
    'minimum',
    'maximum',
    'exclusive_minimum',
    'exclusive_maximum',
  ],
  ...['multiple_of', 'display_type', 'display_group', 'dependencies'],
]

function adviceOfParameters(all: readonly ParameterAt[]): readonly Problem[] {
  return all.flatMap((one) => [
    ...adviceOfKeys(one),
    ...adviceOfParameter(one, all),
    ...adviceOfDefault(one),
    ...adviceOfCondition(one, all),
  ])
}

/** Spellings that are known to be meant are told when the spec is read. */
function adviceOfKeys({ fields }: ParameterAt): readonly Problem[] {
  return [...fields.map.keys.keys()]
    .filter((key) => !parameterKeys.includes(key) && nearest(key, parameterKeys) !== undefined)
    .filter((key) => !/^(?:maxLength|minLength|minlength|displayType|displayGroup)$/.test(key))
    .map((key) =>
      advice(
        `${key} is no key of a parameter; did you mean ${nearest(key, parameterKeys)}?`,
        fields.at(key),
        `Write ${nearest(key, parameterKeys)} instead.`,
      ),
    )
}

function adviceOfParameter(
  { parameter, fields }: ParameterAt,
  all: readonly ParameterAt[],
): readonly Problem[] {
  const { name, enum: choices, displayType } = parameter
  const said: (readonly [boolean, string, string, string])[] = [
    [name === '', 'name', 'a parameter has no name', 'Add name: …'],
    [
      all.find((other) => other.parameter.name === name)?.fields !== fields,
      'name',
      `the parameter ${name} is declared twice; the last one counts`,
      'Remove one of them, or give it another name.',
    ],
    [
      fields.text('type').toLowerCase() === 'enum' && choices.length === 0,
      'type',
      `${name} is an enum without values`,
      'Add enum: [one, another].',
    ],
    [
      choices.length > 0 && typedEnum(parameter).length < choices.length,
      'enum',
      `${name}: some values of the enum are not of its type`,
      `Write values of the type ${parameter.type}, or type: enum.`,
    ],
    [
      /passw|secret|token/i.test(name) && displayType !== 'password' && parameter.type === 'string',
      'name',
      `${name} is not hidden: write display_type: password`,
      'Add display_type: password.',
    ],
    [
      parameter.required && parameter.condition !== undefined,
      'required',
      `${name} depends on another parameter, and is required only where that one has its value`,
      'Remove required, if it is not needed in every case.',
    ],
  ]
  return said.filter(([is]) => is).map(([, key, text, hint]) => advice(text, fields.at(key), hint))
}

function adviceOfDefault({ parameter, fields }: ParameterAt): readonly Problem[] {
  const { condition: _, ...alone } = parameter
  const value = typedDefault(parameter)
  if (value === undefined) {
    return parameter.default === undefined
      ? []
      : [found('apb.spec.default', `${parameter.name}: not of its type`, fields.at('default'))]
  }
  const manner = { defaults: {}, templates: 'allow' } as const
  return judgeValues({ [parameter.name]: value }, [alone], manner).problems.map(({ detail }) =>
    found('apb.spec.default', `${parameter.name}: ${detail ?? 'it is not allowed'}`, fields.at('default')),
  )
}

function adviceOfCondition(
  { parameter, fields }: ParameterAt,
  all: readonly ParameterAt[],
): readonly Problem[] {
  const { name, condition } = parameter
  if (condition === undefined) return []
  const on = all.find((one) => one.parameter.name === condition.on)?.parameter
  const at = fields.at('dependencies')
  if (on === undefined) {
    const names = all.map((one) => one.parameter.name)
    const near = nearest(condition.on, names)
    const hint = `Name ${near ?? 'another parameter of the plan'}.`
    return [advice(`${name} depends on ${condition.on}, which is no parameter`, at, hint)]
  }
  const values = Array.isArray(condition.value) ? condition.value : [condition.value]
  const strange = values.filter((value) => !isObject(value) && !on.enum.includes(String(value)))
  return on.enum.length === 0 || strange.length === 0
    ? []
    : [
        advice(
          `${name} depends on a value that ${on.name} cannot have: ${strange.join(', ')}`,
          at,
          `Name one of ${on.enum.join(', ')}.`,
        ),
      ]
}
