import { expect, test } from 'vitest'
import { image, metadataWith, packageOf, report } from '../../../test/tweed/stage.ts'
import type { JsonObject } from '../../kit/json.ts'
import { tweed } from './index.ts'
import { optionsOf } from './options.ts'

const described = report({ stdout: metadataWith() })

test('an image is run to describe itself, without network and with nothing but a home', async () => {
  const reading = await tweed.read(image(), { options: {} })

  expect(reading).toMatchObject({
    kind: 'describe-first',
    job: {
      program: { kind: 'image', reference: 'oci:case', digest: image().digest },
      steps: [
        {
          command: { kind: 'entrypoint', arguments: ['metadata'] },
          environment: { HOME: '/tweed/home' },
          streams: { kind: 'apart', stdout: { kind: 'captured', bytesMax: 1024 * 1024 } },
        },
      ],
      files: [],
      folders: [{ path: '/tweed/home', readOnly: false }],
      wants: [{ kind: 'files', name: 'reserved', path: '/tweed', bytesMax: 0 }],
      needs: { network: 'none', cluster: 'none' },
      limits: { seconds: 60, graceSeconds: 10 },
    },
  })
})

test('an image without an entrypoint is refused and never run', async () => {
  const reading = await tweed.read(image({ entrypoint: [], command: ['/pattern'] }), { options: {} })

  expect(reading).toEqual({ kind: 'refused', problems: [{ code: 'tweed.no-entrypoint' }] })
})

test.each([
  [['/bin/sh', '-c', '/pattern'], ['tweed.entrypoint-shell']],
  [['bash', '-c', '/pattern "$0"'], ['tweed.entrypoint-shell']],
  [['/bin/sh', '/pattern'], []],
  [['/pattern', '-c'], []],
])('entrypoint %j warns of %j', async (entrypoint, codes) => {
  const reading = await tweed.read(image({ entrypoint }), { options: {}, described })

  expect(reading.kind === 'package' && reading.warnings.map(({ code }) => code)).toEqual(codes)
})

test.each([
  ['fails', report({ exit: 127 })],
  ['prints something else', report({ stdout: 'usage: pattern' })],
])('a shell form is told when the metadata %s, for it may be why', async (_, failed) => {
  const reading = await tweed.read(image({ entrypoint: ['/bin/sh', '-c', '/pattern'] }), {
    options: {},
    described: failed,
  })
  const codes = reading.kind === 'refused' ? reading.problems.map(({ code }) => code) : []

  expect(codes.length).toBeGreaterThan(1)
  expect(codes.at(-1)).toBe('tweed.entrypoint-shell')
})

test.each<[string, JsonObject, readonly string[]]>([
  [
    'its own pattern',
    { code: { type: 'string', pattern: '^[a-z]+$', default: 'A1' } },
    ['/inputs/code/default'],
  ],
  ['its own type', { n: { type: 'integer', default: '1' } }, ['/inputs/n/default']],
  [
    'what a whole schema says',
    { type: 'object', properties: { n: { type: 'integer', maximum: 3, default: 4 } } },
    ['/inputs/properties/n/default'],
  ],
  ['nothing', { n: { type: 'integer', default: 1 }, m: { type: 'string' } }, []],
])('a default that breaks %s is warned of', async (_, inputs, places) => {
  const reading = await tweed.read(image(), {
    options: {},
    described: report({ stdout: metadataWith({ inputs }) }),
  })
  const warnings = reading.kind === 'package' ? reading.warnings : []

  expect(warnings.map(({ code }) => code)).toEqual(places.map(() => 'tweed.metadata.bad-default'))
  expect(warnings.map(({ where }) => where?.pointer)).toEqual(places)
})

test.each<[string, readonly string[], string | undefined]>([
  ['nothing', [], undefined],
  ['what the program wrote to its home', ['home/.cache/x'], undefined],
  ['a file', ['home/x', 'inputs.json'], '/tweed/inputs.json'],
  ['many', ['a', 'b', 'c', 'd', 'e'], '/tweed/a, /tweed/b, /tweed/c and 2 more'],
])('below /tweed the image has %s', async (_, paths, detail) => {
  const files = paths.map((path) => ({ path, bytes: 1, mode: 0o644 }))
  const got = { reserved: { kind: 'files', files } } as const
  const reading = await tweed.read(image(), {
    options: {},
    described: report({ stdout: metadataWith(), got }),
  })

  expect(reading.kind === 'package' && reading.warnings).toEqual(
    detail === undefined ? [] : [{ code: 'tweed.reserved-folder', detail }],
  )
})

test.each([
  [{ credstoreByte: 1 }, '/credstoreByte', 'is not known here'],
  [{ timeoutSeconds: { provision: 0 } }, '/timeoutSeconds/provision', 'must be >= 1'],
  [{ memoryBytes: '512M' }, '/memoryBytes', 'must be integer'],
])('options %j are refused', async (options, pointer, detail) => {
  const reading = await tweed.read(image(), { options })

  expect(reading).toEqual({
    kind: 'refused',
    problems: [{ code: 'tweed.options-invalid', detail, where: { source: 'options', pointer } }],
  })
})

test('given times are laid over the usual ones', () => {
  expect(optionsOf({ timeoutSeconds: { bind: 5 } }).timeoutSeconds).toEqual({
    metadata: 60,
    provision: 10_800,
    bind: 5,
    unbind: 900,
    deprovision: 10_800,
  })
})

test.each([
  ['an image with an entrypoint', image(), 'likely'],
  ['an image without one', image({ entrypoint: [] }), 'no'],
  ['an image that says what else it is', image({ labels: { 'com.redhat.apb.spec': '' } }), 'no'],
])('%s is recognised: %s', (_, artifact, recognition) => {
  expect(tweed.recognise(artifact)).toBe(recognition)
})

test('the package offers one service with the pattern’s own words', async () => {
  const metadata = metadataWith({
    name: 'Cache In A Box!',
    summary: 'One small\ncache',
    description: 'A *single node* cache.\n',
    authors: ['Ada <ada@example.com>', 'Bob'],
    copyright: '2024 Example Org',
    files: [{ filename: './k8s//out.yml', summary: 'Resources', description: 'What was applied' }],
    inputs: { size: { type: 'string', default: 's' } },
  })

  const pkg = await packageOf(metadata)

  expect(pkg).toMatchObject({ contract: 'tweed', name: 'Cache In A Box!', version: '1.0.0' })
  expect(pkg.papers).toEqual({
    summary: 'One small\ncache',
    description: 'A *single node* cache.\n',
    authors: ['Ada <ada@example.com>', 'Bob'],
    copyright: '2024 Example Org',
    files: [{ name: 'k8s/out.yml', summary: 'Resources', description: 'What was applied' }],
  })
  expect(pkg.services).toMatchObject([
    {
      name: 'cache-in-a-box',
      description: 'One small cache',
      bindable: true,
      planUpdatable: false,
      metadata: {
        displayName: 'Cache In A Box!',
        longDescription: 'A *single node* cache.\n',
        providerDisplayName: 'Ada <ada@example.com>',
      },
      plans: [{ name: 'default', schemas: { create: { properties: { size: { type: 'string' } } } } }],
    },
  ])
})

test('a description that failed says how', async () => {
  const read = (ending: Parameters<typeof report>[0]) =>
    tweed.read(image(), { options: {}, described: report({ stdout: metadataWith(), ...ending }) })

  expect(await read({ exit: 3 })).toMatchObject({
    kind: 'refused',
    problems: [{ code: 'tweed.run.exit', detail: 'metadata ended with status 3' }],
  })
  expect(await read({ end: { kind: 'timed-out' } })).toMatchObject({
    problems: [{ code: 'tweed.run.timeout', detail: 'metadata did not end within 60 seconds' }],
  })
  expect(await read({ end: { kind: 'not-started', detail: 'no such file' } })).toMatchObject({
    problems: [{ code: 'tweed.run.start', detail: 'no such file' }],
  })
  expect(await read({ end: { kind: 'limit', limit: 'stdout' } })).toMatchObject({
    problems: [{ code: 'tweed.run.too-large' }],
  })
})
