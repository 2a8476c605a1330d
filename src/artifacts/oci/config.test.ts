import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test.each([
  [
    'a text for a list of one',
    { Entrypoint: '/run', Cmd: 'x y' },
    { entrypoint: ['/run'], command: ['x y'] },
  ],
  ['what is not there', { Entrypoint: null, Env: null, Volumes: null }, { entrypoint: [], environment: [] }],
  ['volumes', { Volumes: { '/data': {}, '/x': {} } }, { volumes: ['/data', '/x'] }],
  [
    'what no run needs',
    { ExposedPorts: { '80/tcp': {} }, StopSignal: 'SIGQUIT', OnBuild: [1] },
    { volumes: [] },
  ],
])('a configuration is read with %s', (_, config, expected) => {
  expect(readConfig({ config }, 'an image')).toMatchObject(expected)
})

test.each([
  ['Entrypoint', 7],
  ['Env', 'A=1'],
  ['Cmd', [1]],
  ['Labels', { a: 1 }],
])('a configuration whose %s is %j is refused with its place', (field, value) => {
  expect(() => readConfig({ config: { [field]: value } }, 'an image')).toThrow(
    expect.objectContaining({
      problem: expect.objectContaining({
        code: 'image.config-invalid',
        where: { source: 'an image', pointer: `/config/${field}` },
      }),
    }),
  )
})
