import { describe, expect, test } from 'vitest'
import {
  fragment,
  imageDigest,
  jobFor,
  outcomeOf,
  packageOf,
  report,
  seenBy,
  situation,
} from '../../../test/cnab/stage.ts'
import type { JsonObject } from '../../kit/json.ts'
import { Secret } from '../../kit/secret.ts'
import type { Carryover } from '../../model/outcome.ts'
import type { Action } from '../../model/situation.ts'
import { cnab } from './index.ts'
import { notesJson, notesOf } from './notes.ts'

const provision: Action = { kind: 'provision' }
const invoke = (name: string): Action => ({ kind: 'invoke', name })
describe('a run', () => {
  test('finds what the specification says, and runs the one program', async () => {
    const pkg = await packageOf(fragment)
    const job = jobFor(
      provision,
      situation(pkg, {
        parameters: { text: 'hallo' },
        infrastructure: { key: new Secret('of the operator'), other: 'x' },
      }),
    )
    const { env, files } = seenBy(job)

    expect(job.program).toEqual({
      kind: 'image',
      reference: `docker://registry.example/app:1@${imageDigest}`,
      digest: imageDigest,
    })
    expect(job.steps[0]).toMatchObject({ command: { kind: 'exec', argv: ['/cnab/app/run'] } })
    expect(env).toMatchObject({
      CNAB_ACTION: 'install',
      CNAB_BUNDLE_NAME: 'app',
      CNAB_BUNDLE_VERSION: '1.0.0',
      CNAB_CLAIMS_VERSION: 'CNAB-Claims-1.0.0',
      CNAB_INSTALLATION_NAME: 's9bca75b488788c7665c4f3a138a5ade3',
      CNAB_REVISION: expect.stringMatching(/^01KB[0-9A-Z]{22}$/),
      TEXT: 'hallo',
      SECRET: '',
      KEY: 'of the operator',
      CHANDLER_CONTEXT: '{}',
    })
    expect(env).not.toHaveProperty('PORTER_INSTALLATION_NAME')
    expect(Object.keys(files)).toEqual([
      '/cnab/bundle.json',
      '/cnab/app/image-map.json',
      '/cnab/claim.json',
      '/key',
    ])
    expect(files['/cnab/claim.json']).not.toContain('of the operator')
    expect(JSON.parse(files['/cnab/claim.json'] ?? '')).toMatchObject({
      action: 'install',
      revision: env['CNAB_REVISION'],
      parameters: { text: 'hallo' },
      bundleReference: expect.stringMatching(/^\.\/bundle\.json@sha256:/),
    })
  })

  test('finds where images were moved to, and no map where none was', async () => {
    const pkg = await packageOf(fragment)
    const relocation = { 'registry.example/app:1': 'elsewhere.example/app@sha256:1' }
    const moved = { ...pkg, notes: notesJson({ ...notesOf(pkg), relocation }) }
    const map = '/cnab/app/relocation-mapping.json'

    expect(JSON.parse(seenBy(jobFor(provision, situation(moved))).files[map] ?? '')).toEqual(relocation)
    expect(seenBy(jobFor(provision, situation(pkg))).files).not.toHaveProperty([map])
  })

  test('of a Porter bundle finds the variables that its templates read', async () => {
    const pkg = await packageOf({ custom: { 'sh.porter': {} } })

    expect(seenBy(jobFor(provision, situation(pkg))).env).toMatchObject({
      PORTER_INSTALLATION_NAME: expect.stringMatching(/^s/),
      PORTER_INSTALLATION_NAMESPACE: '',
    })
  })

  test('asks for the socket only where the bundle wants it and the operator lends it', async () => {
    const wants = { requiredExtensions: ['io.cnab.docker'], custom: { 'io.cnab.docker': {} } }
    const pkg = await packageOf(wants, { options: { allowDockerHostAccess: true } })
    const plain = situation(pkg)
    const options = { allowDockerHostAccess: true }

    expect(cnab.prepare(provision, plain)).toMatchObject({
      kind: 'refused',
      problems: [{ code: 'cnab.docker.consent' }],
    })
    const plan = { ...plain.plan, operator: { ...plain.plan.operator, options } }
    expect(jobFor(provision, { ...plain, plan }).needs.engineSocket).toBe(true)
  })

  test('without state leaves no claim', async () => {
    expect(
      Object.keys(seenBy(jobFor(invoke('help'), situation(await packageOf(fragment)))).files),
    ).not.toContain('/cnab/claim.json')
  })

  test('of an action that the bundle does not have is refused', async () => {
    expect(cnab.prepare(invoke('nothing'), situation(await packageOf(fragment)))).toMatchObject({
      kind: 'refused',
      problems: [{ code: 'cnab.action.undefined' }],
    })
  })
})

describe('revisions', () => {
  test('are new with every action that may change something, and stay with others', async () => {
    const pkg = await packageOf(fragment)
    let carryover: Carryover = {}
    let last = ''
    const steps: (readonly [string, boolean])[] = []
    for (const [i, action] of (
      [
        provision,
        invoke('look'),
        { kind: 'update' },
        invoke('change'),
        invoke('help'),
        { kind: 'update' },
        { kind: 'deprovision' },
      ] as const
    ).entries()) {
      const at = situation(pkg, {
        carryover,
        operation: { id: `01kb00000${i}0000000000000000`, stage: 0, attempt: 1 },
      })
      const revision = seenBy(jobFor(action, at)).env['CNAB_REVISION'] ?? ''
      steps.push([action.kind === 'invoke' ? action.name : action.kind, revision !== last && revision > last])
      if (action.kind !== 'invoke' || action.name !== 'help') last = revision
      // One of them fails: it has changed something all the same.
      carryover =
        outcomeOf(action, at, { exit: i === 2 ? 1 : 0, written: { count: '1' } }).carryover ?? carryover
      if (action.kind === 'invoke' && action.name === 'help')
        steps[steps.length - 1] = ['help', revision !== last]
    }

    expect(steps).toEqual([
      ['provision', true],
      ['look', false],
      ['update', true],
      ['change', true],
      ['help', false],
      ['update', true],
      ['deprovision', true],
    ])
  })
})

describe('the end of a run', () => {
  test.each([
    ['exits with 3', { exit: 3 }, 'cnab.run.failed', 'container exit code: 3 (install)'],
    ['cannot be executed', { exit: 126 }, 'cnab.run.failed', expect.stringContaining('not executable')],
    ['was killed', { exit: 137 }, 'cnab.run.failed', expect.stringContaining('signal 9')],
    [
      'cannot be started',
      { end: { kind: 'not-started', detail: 'no image' } as const },
      'cnab.run.start',
      'no image',
    ],
    ['takes too long', { end: { kind: 'timed-out' } as const }, 'cnab.run.timeout', expect.any(String)],
    ['is stopped', { end: { kind: 'stopped' } as const }, 'operation.cancelled', expect.any(String)],
    ['is seen by nobody', { end: { kind: 'lost' } as const }, 'operation.interrupted', expect.any(String)],
    [
      'runs out of memory',
      { end: { kind: 'limit', limit: 'memory' } as const },
      'cnab.run.failed',
      expect.stringContaining('memory'),
    ],
  ])('of a bundle that %s is told as it was, and kept', async (_, ending, code, detail) => {
    const { problems, carryover } = outcomeOf(provision, situation(await packageOf(fragment)), {
      ...ending,
      written: { text: 'half' },
    })
    const result = JSON.parse(Buffer.from(carryover?.['result'] ?? []).toString()) as JsonObject

    expect(problems[0]).toEqual({ code, detail })
    const words: Record<string, string> = {
      'operation.cancelled': 'canceled',
      'operation.interrupted': 'unknown',
    }
    expect(result['status']).toBe(words[code] ?? 'failed')
    expect(cnab.interrupted(provision)).toBe('give-up')
  })

  test('keeps the newest of each output, without what was only looked at for the tool itself', async () => {
    const pkg = await packageOf(fragment)
    const first = outcomeOf(provision, situation(pkg), { written: { text: 'one', state: 'kept' } })
    const looked = outcomeOf(invoke('look'), situation(pkg, { carryover: first.carryover ?? {} }), {
      written: { state: 'not kept', count: '5' },
    })

    const texts = Object.fromEntries(
      Object.entries(looked.carryover ?? {}).map(([name, bytes]) => [name, Buffer.from(bytes).toString()]),
    )
    expect(texts).toMatchObject({ 'outputs/text': 'one', 'outputs/state': 'kept', 'outputs/count': '5' })
    expect(first.outputs?.map(({ name }) => name)).toEqual(['text'])
    expect(looked.outputs?.map(({ name }) => name)).toEqual(['count', 'io.cnab.outputs.invocationImageLogs'])
  })

  test('of a look says what was printed, without what is secret', async () => {
    const at = situation(await packageOf(fragment), {
      infrastructure: { key: new Secret('of-the-operator') },
    })
    const { outputs } = outcomeOf(invoke('help'), at, { logTail: 'usage: of-the-operator\n' })

    expect(outputs?.map(({ content }) => Buffer.from(content).toString())).toEqual(['usage: [redacted]\n'])
  })

  test('of a status says how the system is', async () => {
    const status =
      '{"status":"Failed","message":"down","components":{"web":{"status":"Failed"},"db":{"status":"Ready"}}}'
    const { message } = outcomeOf(invoke('status'), situation(await packageOf(fragment)), {
      written: { status },
    })

    expect(message).toBe('Failed (failed: web): down')
  })

  test('of an uninstall that worked leaves nothing', async () => {
    const at = situation(await packageOf(fragment), { carryover: { 'outputs/text': Buffer.from('x') } })

    expect(outcomeOf({ kind: 'deprovision' }, at).carryover).toEqual({})
    expect(outcomeOf({ kind: 'deprovision' }, at, { exit: 1 })).toMatchObject({
      usable: true,
      repeatable: true,
      carryover: { 'outputs/text': Buffer.from('x') },
    })
  })
})

test('a value that cannot be changed any more stays, and people hear of it', async () => {
  const region = { definition: 'region', destination: { env: 'REGION' } }
  const definitions = { region: { type: 'string', readOnly: true } }
  const pkg = await packageOf({ definitions, parameters: { region } })
  const { carryover = {} } = outcomeOf(provision, situation(pkg, { parameters: { region: 'here' } }))
  const later = situation(pkg, { carryover, parameters: { region: 'there' } })

  expect(seenBy(jobFor({ kind: 'update' }, later)).env['REGION']).toBe('here')
  expect(outcomeOf({ kind: 'update' }, later).message).toContain('left as it is: parameters, /region')
})

test('a report that came late finds the same claim', async () => {
  const at = situation(await packageOf(fragment))
  const claim = JSON.parse(seenBy(jobFor(provision, at)).files['/cnab/claim.json'] ?? '') as JsonObject
  const later = { ...at, now: at.now + 5000, random: (count: number) => new Uint8Array(count).fill(9) }
  const conclusion = cnab.conclude(provision, later, report({ written: { text: 'x' } }))

  expect(
    conclusion.kind === 'done' &&
      JSON.parse(Buffer.from(conclusion.outcome.carryover?.['claim'] ?? []).toString()),
  ).toEqual(claim)
})
