/** Lives the examples of a package one after another: each is provisioned, updated, bound, unbound and deprovisioned, and what comes of it compared. */
import type { Listener } from '../../host/workshop.ts'
import type { Json } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { ActionRan } from '../../local/ran.ts'
import { type Stage, tryPackage } from '../package-tools.ts'
import type { RunnablePackage } from './build.ts'
import { differences, type Example, type ExampleAction, type Expectation } from './examples.ts'

export interface ExampleTried {
  readonly name: string
  /** What was not as it was expected; empty: it passed. */
  readonly faults: readonly string[]
  readonly stages: readonly Stage[]
}

/** Tries one example. Problems: those of reading the package. */
export async function tryExample(
  { reference, contract, options }: RunnablePackage,
  { name, plan, parameters = {}, bindParameters = {}, expect = {} }: Example,
  { dataDir, listener }: { readonly dataDir: string; readonly listener: Listener },
): Promise<ExampleTried> {
  const stages: Stage[] = []
  const faults: string[] = []
  const ended = (stage: Stage, ran?: ActionRan): void => {
    stages.push(stage)
    if (ran !== undefined) faults.push(...unlike(stage, ran, expect))
  }
  const trial = { reference, dataDir, parameters, bindParameters, ended }
  await tryPackage({ ...trial, ...present({ contract, plan, options }) }, listener)
  return { name, stages, faults: [...unexpectedEnds(stages, expect), ...faults] }
}

function unexpectedEnds(stages: readonly Stage[], { fails, because }: Expectation): readonly string[] {
  const failed = stages.filter(({ fault }) => fault !== undefined)
  const others = failed
    .filter(({ action }) => action !== fails)
    .map(({ action, fault }) => `${action}: ${fault}`)
  if (fails === undefined) return others
  const expected = failed.find(({ action }) => action === fails) ?? refusedUpdate(stages, fails)
  if (expected === undefined) return [...others, `${fails} was to fail, and did not`]
  const reason = expected.fault ?? expected.skipped ?? ''
  return because === undefined || reason.includes(because)
    ? others
    : [...others, `${fails} failed, but not because of ${JSON.stringify(because)}: ${reason}`]
}

/** An update that is refused is no fault by itself: not every package offers updates. */
function refusedUpdate(stages: readonly Stage[], fails: ExampleAction): Stage | undefined {
  return stages.find(({ action, skipped }) => action === fails && skipped !== undefined)
}

function unlike(
  { action, fault }: Stage,
  { binding, outputs }: ActionRan,
  expect: Expectation,
): readonly string[] {
  if (fault !== undefined) return []
  if (action === 'bind' && expect.credentials !== undefined)
    return differences(expect.credentials, binding?.credentials, 'credentials')
  if (action === 'provision' && expect.outputs !== undefined) {
    const texts: Record<string, Json> = {}
    for (const { name, content } of outputs) texts[name] = Buffer.from(content).toString()
    return differences(expect.outputs, texts, 'outputs')
  }
  return []
}
