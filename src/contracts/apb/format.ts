/** Reads the spec of a bundle: every fault at once, each with its line. */
import { meantKey } from '../../kit/near-keys.ts'
import { repeated } from '../../kit/repeated.ts'
import { readYamlTree, type YamlMap, type YamlTree } from '../../kit/yaml-tree.ts'
import type { Problem } from '../../model/problem.ts'
import { Fields, type Findings, found, source } from './fields.ts'
import { readParameters } from './parameter.ts'
import type { Spec, SpecPlan } from './spec.ts'

export type SpecReading =
  | { readonly kind: 'spec'; readonly spec: Spec; readonly warnings: readonly Problem[] }
  | { readonly kind: 'refused'; readonly problems: readonly [Problem, ...Problem[]] }

/** How a document is read. */
export type Manner = Pick<Findings, 'lenient'>

/** All that can be said about a document, whether it is a spec or not. */
export interface SpecExamination extends Pick<Findings, 'problems' | 'warnings'> {
  /** Absent where the document is no YAML. */
  readonly read?: { readonly spec: Spec; readonly root: YamlMap }
}

/** Reads the text of an `apb.yml` for a bundle of a runtime. */
export function readSpec(text: string, runtime: number, manner: Manner = { lenient: true }): SpecReading {
  const { problems, warnings, read } = examineSpec(text, runtime, manner)
  const [first = { code: 'apb.spec.unreadable' } as const, ...rest] = problems
  if (problems.length > 0 || read === undefined) return { kind: 'refused', problems: [first, ...rest] }
  return { kind: 'spec', spec: read.spec, warnings }
}

/** Reads as far as it goes, and gathers everything that is wrong. */
export function examineSpec(
  text: string,
  runtime: number,
  { lenient }: Manner = { lenient: true },
): SpecExamination {
  const reading = readYamlTree(text)
  if (reading.kind === 'refused') {
    return {
      problems: [found('apb.spec.unreadable', reading.message, reading.at, reading.hint)],
      warnings: [],
    }
  }
  const findings: Findings = { problems: [], warnings: [], lenient }
  const root = rootOf(reading.tree)
  const spec = specOf(new Fields(root, findings), findings)
  const problems = [...validate(spec, runtime, root), ...findings.problems]
  return { problems, warnings: findings.warnings, read: { spec, root } }
}

/** An empty document, a text or a list is a spec without a version. */
function rootOf(tree: YamlTree): YamlMap {
  return tree.kind === 'map' ? tree : { kind: 'map', members: new Map(), keys: new Map(), at: tree.at }
}

const specKeys = ['version', 'name', 'description', 'bindable', 'async', 'tags', 'metadata', 'plans', 'alpha']
const planKeys = [
  'name',
  'description',
  'metadata',
  'free',
  'bindable',
  'parameters',
  'bind_parameters',
  'updates_to',
]

function specOf(fields: Fields, findings: Findings): Spec {
  warnOfKeys(fields, specKeys, findings)
  const alpha = fields.object('alpha')
  return {
    version: fields.text('version'),
    name: fields.text('name'),
    description: fields.text('description'),
    bindable: fields.flag('bindable'),
    async: fields.text('async'),
    tags: fields.texts('tags'),
    metadata: fields.object('metadata'),
    plans: fields.list('plans').flatMap((tree) => planOf(tree, findings)),
    dashboardRedirect: alpha['dashboard_redirect'] === true,
  }
}

function planOf(tree: YamlTree, findings: Findings): readonly SpecPlan[] {
  if (tree.kind !== 'map') {
    const hint = 'Write it as a map: {name: …, description: …, free: true}'
    findings.warnings.push(found('apb.spec.ignored', 'a plan must be a map', tree.at, hint))
    return []
  }
  const fields = new Fields(tree, findings)
  warnOfKeys(fields, planKeys, findings)
  const name = fields.text('name')
  if (name === '')
    findings.warnings.push(found('apb.spec.ignored', 'a plan has no name', tree.at, 'Add name: …'))
  return [
    {
      name,
      description: fields.text('description'),
      metadata: fields.object('metadata'),
      free: fields.flag('free'),
      ...(fields.tree('bindable') === undefined ? {} : { bindable: fields.flag('bindable') }),
      parameters: readParameters(fields, fields.spelling('parameters', ['Parameters'], 'plan'), findings),
      bindParameters: readParameters(fields, 'bind_parameters', findings),
      updatesTo: fields.texts('updates_to'),
    },
  ]
}

/** Authors put anchors below keys of their own; what looks like a key that was meant is told. */
function warnOfKeys(fields: Fields, known: readonly string[], findings: Findings): void {
  for (const key of fields.map.members.keys()) {
    if (known.includes(key)) continue
    const meant = meantKey(key, known)
    if (meant === undefined || ['id', 'runtime', 'delete', 'Parameters'].includes(key)) continue
    const what = `${key} is no key of a spec; did you mean ${meant}?`
    findings.warnings.push(found('apb.spec.ignored', what, fields.at(key), `Write ${meant} instead.`))
  }
}

/** In the order and with the words of the original broker. */
function validate(spec: Spec, runtime: number, root: YamlMap): readonly Problem[] {
  const at = root.keys.get('version') ?? root.at
  const version = `Spec [${spec.name}] failed version validation`
  if (spec.version !== '1.0' && spec.version !== '1.0.0') {
    const hint =
      spec.version === ''
        ? 'Begin apb.yml with "version: 1.0": bundles of 2017 had none.'
        : 'Write "version: 1.0" at the top of apb.yml.'
    return [{ ...found('apb.spec.version', version, at), hint }]
  }
  if (runtime !== 1 && runtime !== 2) {
    return [{ code: 'apb.spec.version', detail: `${version}: runtime ${runtime}`, where: { source } }]
  }
  const plansAt = root.keys.get('plans') ?? root.at
  if (spec.plans.length === 0) {
    const hint =
      'Add a plan: plans: [{name: default, description: …, free: true, metadata: {}, parameters: []}]'
    return [found('apb.spec.plans', 'Specs must have at least one plan', plansAt, hint)]
  }
  const hint = 'Give each plan a name of its own.'
  return repeated(spec.plans.map(({ name }) => name)).map((name) =>
    found('apb.spec.plans', `Plans within a spec must not contain duplicate value: ${name}`, plansAt, hint),
  )
}
