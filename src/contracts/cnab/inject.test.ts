import { describe, expect, test } from 'vitest'
import { bundleOf } from '../../../test/cnab/stage.ts'
import type { JsonObject } from '../../kit/json.ts'
import { Secret } from '../../kit/secret.ts'
import { inject } from './inject.ts'

const definitions = {
  text: { type: 'string' },
  secret: { type: 'string', writeOnly: true },
  file: { type: 'string', contentEncoding: 'base64' },
}

function injected(
  fragment: JsonObject,
  values: JsonObject = {},
  credentials: Record<string, string> = {},
  action = 'install',
) {
  const got = inject({ bundle: bundleOf({ definitions, ...fragment }), action, values, credentials })
  if (got.kind === 'refused') return got.problems.map(({ code }) => code)
  const shown = (texts: Readonly<Record<string, string | Secret>>) =>
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => [
        name,
        text instanceof Secret ? { secret: text.reveal() } : text,
      ]),
    )
  return { environment: shown(got.environment), files: shown(got.files) }
}

const parameter = (definition: string, destination: JsonObject) => ({
  parameters: { p: { definition, destination } },
})

describe('what a run tool finds', () => {
  test('secret values and credentials are told apart from others', () => {
    const fragment = {
      ...parameter('secret', { env: 'P', path: '/p' }),
      credentials: { c: { env: 'C', path: '/c' } },
    }

    expect(injected(fragment, { p: 'x' }, { c: 'y' })).toEqual({
      environment: { P: { secret: 'x' }, C: { secret: 'y' } },
      files: { '/p': { secret: 'x' }, '/c': { secret: 'y' } },
    })
  })

  test('run tools from before 1.0 find their variables, too', () => {
    const legacy = { parameters: { port: { type: 'int', defaultValue: 80, destination: { env: 'PORT' } } } }

    expect(injected(legacy, { port: 81 })).toMatchObject({ environment: { PORT: '81', CNAB_P_PORT: '81' } })
  })

  test.each([
    ['an absent file is empty', parameter('file', { path: '/p' }), { '/p': '' }],
    [
      'but not there at all for tools that fail on empty archives',
      {
        ...parameter('file', { path: '/p' }),
        requiredExtensions: ['sh.porter.file-parameters'],
        custom: { 'sh.porter.file-parameters': {} },
      },
      {},
    ],
  ])('%s', (_, fragment, files) => {
    expect(injected(fragment)).toEqual({ environment: {}, files })
  })

  test.each([
    ['more than the kernel takes', 'x'.repeat(128 * 1024), ['cnab.parameter.too-long']],
    ['a zero byte', 'a\0b', ['cnab.parameter.invalid']],
  ])('%s is refused for a variable, and written to a file', (_, value, codes) => {
    expect(injected(parameter('text', { env: 'P' }), { p: value })).toEqual(codes)
    expect(injected(parameter('text', { path: '/p' }), { p: value })).toEqual({
      environment: {},
      files: { '/p': value },
    })
  })

  test('all variables together fit into what the kernel takes, or the run is refused before it is tried', () => {
    const names = Array.from({ length: 12 }, (_, i) => `p${i}`)
    const parameters = Object.fromEntries(
      names.map((name) => [name, { definition: 'text', destination: { env: name } }]),
    )
    const values = Object.fromEntries(names.map((name) => [name, 'x'.repeat(100_000)]))

    expect(injected({ parameters }, values)).toEqual(['cnab.parameter.too-long'])
    const { p11: _, p10: __, ...fewer } = values
    expect(injected({ parameters }, fewer)).toHaveProperty('environment')
  })

  test('actions without state run without credentials, and get those that are given', () => {
    const fragment = {
      credentials: { c: { env: 'C', required: true } },
      actions: { help: { stateless: true } },
    }

    expect(injected(fragment, {}, {}, 'help')).toEqual({ environment: {}, files: {} })
    expect(injected(fragment, {}, { c: 'y' }, 'help')).toMatchObject({ environment: { C: { secret: 'y' } } })
    expect(injected(fragment)).toEqual(['cnab.credential.missing'])
  })
})
