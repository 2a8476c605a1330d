/** `registries.conf` as Podman's manual describes it: which table counts for a name, and where it leads. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { freshFolder } from '../../../test/support/image.ts'
import { apart, toProblem } from '../../model/problem.ts'
import { placesOf, settingsAt } from './places.ts'
import type { RegistrySettings } from './settings.ts'
import { usualConfigurationFiles } from './settings.ts'

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = freshFolder('registries-conf')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}

function readFrom(name: string, settings: RegistrySettings): readonly string[] {
  const slash = name.indexOf('/')
  return placesOf({ host: name.slice(0, slash), repository: name.slice(slash + 1) }, settings).map(
    ({ host, repository, pulls, settings: { hosts } }) =>
      [
        `${host}/${repository}`,
        ...(pulls === 'all' ? [] : [pulls]),
        ...(hosts?.[host]?.unverified && hosts[host]?.plainHttp ? ['insecure'] : []),
      ].join(' '),
  )
}

test.each<[string, string, string, readonly string[]]>([
  ['a name that no table is for', '', 'a.example/x', ['a.example/x']],
  [
    'mirrors in their order, before the registry itself',
    `[[registry]]
location = "a.example"
[[registry.mirror]]
location = "m.example/hub"
[[registry.mirror]]
location = "127.0.0.1:5000"
insecure = true`,
    'a.example/team/app',
    ['m.example/hub/team/app', '127.0.0.1:5000/team/app insecure', 'a.example/team/app'],
  ],
  [
    'another location in the place of a prefix',
    `[[registry]]
prefix = "a.example/foo"
location = "inside.example/bar/"`,
    'a.example/foo/app',
    ['inside.example/bar/app'],
  ],
  [
    'a prefix counts in whole words',
    `[[registry]]
prefix = "a.example/foo"
location = "inside.example"`,
    'a.example/food/app',
    ['a.example/food/app'],
  ],
  [
    'the longest prefix alone counts',
    `[[registry]]
location = "a.example"
insecure = true
[[registry]]
prefix = "a.example/team"
[[registry.mirror]]
location = "m.example"`,
    'a.example/team/app',
    ['m.example/app', 'a.example/team/app'],
  ],
  [
    'all below a domain, under their own names',
    `[[registry]]
prefix = "*.a.example"
insecure = true`,
    'x.y.a.example:5000/app',
    ['x.y.a.example:5000/app insecure'],
  ],
  [
    'a domain itself is not below it',
    `[[registry]]
prefix = "*.a.example"
insecure = true`,
    'a.example/app',
    ['a.example/app'],
  ],
  [
    'all below a domain, moved elsewhere',
    `[[registry]]
prefix = "*.a.example"
location = "inside.example/a"`,
    'x.a.example/app',
    ['inside.example/a/app'],
  ],
  [
    'mirrors for digests only',
    `[[registry]]
location = "a.example"
mirror-by-digest-only = true
[[registry.mirror]]
location = "m.example"`,
    'a.example/app',
    ['m.example/app digest-only', 'a.example/app'],
  ],
  [
    'each mirror for what it says',
    `[[registry]]
location = "a.example"
[[registry.mirror]]
location = "d.example"
pull-from-mirror = "digest-only"
[[registry.mirror]]
location = "t.example"
pull-from-mirror = "tag-only"`,
    'a.example/app',
    ['d.example/app digest-only', 't.example/app tag-only', 'a.example/app'],
  ],
  [
    'the form of before 2018',
    `[registries.insecure]
registries = ["a.example"]`,
    'a.example/app',
    ['a.example/app insecure'],
  ],
  [
    'aliases and registries to search say nothing of whole names',
    `unqualified-search-registries = ["a.example"]
[aliases]
"app" = "b.example/app"`,
    'a.example/app',
    ['a.example/app'],
  ],
])('%s', (_, text, name, expected) => {
  const configurationFiles = [join(folderWith({ 'registries.conf': text }), 'registries.conf')]

  expect(readFrom(name, { configurationFiles })).toEqual(expected)
})

test('mirrors of the settings are asked before those of the files', () => {
  const folder = folderWith({
    'a.conf': '[[registry]]\nlocation="a.example"\n[[registry.mirror]]\nlocation="m.example"',
  })
  const settings = { configurationFiles: [folder], hosts: { 'a.example': { mirrors: ['own.example/hub'] } } }

  expect(readFrom('a.example/app', settings)).toEqual([
    'own.example/hub/app',
    'm.example/app',
    'a.example/app',
  ])
})

test('of a folder the files that end in .conf count in their order, later ones over earlier ones; what is missing is no fault', () => {
  const table = (location: string): string => `[[registry]]\nprefix = "a.example"\nlocation = "${location}"`
  const first = folderWith({
    '10-a.conf': table('b.example'),
    '20-b.conf': table('c.example'),
    other: 'no = ',
  })
  const configurationFiles = [join(first, 'none'), first]

  expect(readFrom('a.example/app', { configurationFiles })).toEqual(['c.example/app'])
})

test('what is written to a registry goes to itself, with its tables for encryption and no others', () => {
  const text = `[[registry]]
prefix = "a.example"
location = "inside.example"
insecure = true`
  const settings = { configurationFiles: [folderWith({ 'a.conf': text })] }

  expect(settingsAt({ host: 'a.example', repository: 'app' }, settings).hosts).toEqual({
    'a.example': { plainHttp: true, unverified: true },
  })
})

test('a blocked registry is refused for reading and writing', () => {
  const settings = {
    configurationFiles: [folderWith({ 'a.conf': '[[registry]]\nlocation="a.example/bad"\nblocked=true' })],
  }
  const place = { host: 'a.example', repository: 'bad/app' }

  for (const work of [placesOf, settingsAt])
    expect(() => work(place, settings)).toThrow(
      expect.objectContaining({ problem: expect.objectContaining({ code: 'registry.blocked' }) }),
    )
  expect(readFrom('a.example/good', settings)).toEqual(['a.example/good'])
})

test.each<[string, string, readonly object[]]>([
  ['no TOML', '[[registry]\nlocation = "a"', [{ where: { line: 1 } }]],
  [
    'what has another kind, all at once',
    '[[registry]]\nlocation = 5\n[[registry]]\nlocation = "b.example"\nblocked = "yes"',
    [{ where: { pointer: '/registry/0/location' } }, { where: { pointer: '/registry/1/blocked' } }],
  ],
  ['a table without a name', '[[registry]]\ninsecure = true', [{ where: { pointer: '/registry/0' } }]],
  [
    'an address with a scheme',
    '[[registry]]\nlocation = "https://a.example"',
    [{ detail: '"https://a.example" is no host[:port][/path]' }],
  ],
])('%s is refused with its place', (_, text, expected) => {
  const folder = folderWith({ 'a.conf': text })
  let found: unknown
  try {
    readFrom('a.example/app', { configurationFiles: [folder] })
  } catch (error) {
    found = error
  }
  const problems = apart(toProblem(found))

  expect(problems.map(({ code }) => code)).toEqual(problems.map(() => 'registry.configuration-invalid'))
  expect(problems[0]?.where?.source).toBe(join(folder, 'a.conf'))
  for (const one of expected) expect(problems).toContainEqual(expect.objectContaining(nested(one)))
})

/** With what the places hold besides. */
function nested(one: object): object {
  return 'where' in one ? { ...one, where: expect.objectContaining(one.where) } : one
}

test('files are those of Podman: named by the environment, else of the user, else of the machine', () => {
  const HOME = folderWith({})
  const own = join(HOME, '.config/containers')

  expect(usualConfigurationFiles({ HOME })).toEqual([
    '/etc/containers/registries.conf',
    '/etc/containers/registries.conf.d',
    `${own}/registries.conf.d`,
  ])
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'registries.conf'), '')
  expect(usualConfigurationFiles({ HOME })[0]).toBe(`${own}/registries.conf`)
  expect(
    usualConfigurationFiles({ CONTAINERS_REGISTRIES_CONF: '/f', CONTAINERS_REGISTRIES_CONF_DIR: '/d' }),
  ).toEqual(['/f', '/d'])
})
