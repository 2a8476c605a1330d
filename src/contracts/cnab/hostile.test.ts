/** Bundles that were written to do harm: each is refused when it is read, before anything of it is run. */
import { describe, expect, test } from 'vitest'
import {
  bytesOf,
  hostileFragments,
  nested,
  parameterAt,
  whole,
} from '../../../test/support/hostile-bundles.ts'
import { readBundle } from './format.ts'
import { inject } from './inject.ts'
import { readOperation } from './operation.ts'
import { usualOptions } from './options.ts'
import { jobOf } from './run.ts'
import { resolveValues } from './values.ts'

test('there are many of them', () => {
  expect(hostileFragments.length).toBeGreaterThanOrEqual(40)
})

test.each(hostileFragments)('a bundle is refused where %s', (_, fragment, code, pointer) => {
  const reading = readBundle(bytesOf({ ...whole, ...fragment }))

  expect(reading.kind === 'refused' ? reading.problems : reading).toContainEqual(
    expect.objectContaining({
      code,
      where: expect.objectContaining({
        source: 'bundle.json',
        ...(pointer === '' ? {} : { pointer, line: 1 }),
      }),
    }),
  )
})

test.each([
  ['is not UTF-8', new Uint8Array([0xff, 0xfe, 0x7b]), 'cnab.bundle.not-json'],
  ['is no JSON', new TextEncoder().encode('{"name":'), 'cnab.bundle.not-json'],
  ['is a list', new TextEncoder().encode('[]'), 'cnab.bundle.not-json'],
  ['is empty', new Uint8Array(), 'cnab.bundle.not-json'],
  ['is five megabytes long', new Uint8Array(5 * 1024 * 1024).fill(0x20), 'cnab.bundle.too-large'],
  ['is nested a thousand deep', bytesOf({ ...whole, custom: nested(1000) }), 'cnab.bundle.too-large'],
] as const)('what %s is no bundle', (_, bytes, code) => {
  const reading = readBundle(bytes)

  expect(reading.kind === 'refused' && reading.problems[0].code).toBe(code)
})

test.each([
  ['no JSON', '{', undefined],
  ['no name', '{"action":"install","image":{"image":"a:1"}}', '/installation_name'],
  [
    'a file outside',
    '{"installation_name":"a","action":"install","image":{"image":"a:1"},"files":{"../x":""}}',
    '',
  ],
] as const)('an operation of another tool with %s is refused', (_, text, pointer) => {
  const reading = readOperation(Buffer.from(text))

  expect(reading.kind === 'refused' ? reading.problems : reading).toContainEqual(
    expect.objectContaining({
      code: 'cnab.operation.invalid',
      ...(pointer === undefined ? {} : { where: { pointer } }),
    }),
  )
})

describe('what a bundle may say without harm', () => {
  test('names of properties of objects are names like any other', () => {
    const document = `{"schemaVersion":"1.2.0","name":"app","version":"1.0.0","invocationImages":[{"image":"app:1"}],
      "definitions":{"__proto__":{"type":"string","default":"x"}},
      "parameters":{"__proto__":{"definition":"__proto__","destination":{"env":"P"}}}}`
    const reading = readBundle(new TextEncoder().encode(document))
    if (reading.kind === 'refused') throw new Error(JSON.stringify(reading.problems))
    const resolved = resolveValues(reading.bundle, 'install', { given: {} })

    expect(resolved.kind === 'values' && Object.entries(resolved.values)).toEqual([['__proto__', 'x']])
    expect(Object.hasOwn(Object.prototype, 'definition')).toBe(false)
  })

  test('what it calls its variables never hides what the runtime says', () => {
    const reading = readBundle(bytesOf({ ...whole, ...parameterAt({ env: 'CHANDLER_INSTANCE_ID' }) }))
    if (reading.kind === 'refused') throw new Error(JSON.stringify(reading.problems))
    const { bundle } = reading
    const injected = inject({ bundle, action: 'install', values: { p: 'evil' }, credentials: {} })
    if (injected.kind === 'refused') throw new Error(JSON.stringify(injected.problems))
    const job = jobOf({
      bundle,
      bytes: bytesOf(whole),
      image: { reference: 'docker://x/app', digest: `sha256:${'a'.repeat(64)}` },
      relocation: {},
      action: 'install',
      installation: 'i',
      revision: 'r',
      injected,
      environment: { CHANDLER_INSTANCE_ID: 'i1' },
      options: usualOptions,
    })

    expect(job.steps[0].environment).toMatchObject({ CHANDLER_INSTANCE_ID: 'i1', CNAB_ACTION: 'install' })
    expect(job.needs).toEqual({ cluster: 'none', network: 'default', readOnlyRoot: false })
  })
})
