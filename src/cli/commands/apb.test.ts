/** What authors of bundles do, by the commands they type. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { main } from '../main.ts'

const missing = ensurePrograms('busybox', 'curl')
const place = mkdtempSync(join(tmpdir(), 'chandler-apb-cli-'))
const data = join(place, 'data')

afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

interface Ran {
  readonly code: number | string | undefined
  readonly out: string
  readonly said: string
}

/** Runs a command in this process, with a data folder of the tests' own. */
async function chandler(...words: readonly string[]): Promise<Ran> {
  const written = { out: '', said: '' }
  const catching = (key: keyof typeof written) => (chunk: string | Uint8Array) => {
    written[key] += Buffer.from(chunk).toString()
    return true
  }
  vi.spyOn(process.stdout, 'write').mockImplementation(catching('out'))
  vi.spyOn(process.stderr, 'write').mockImplementation(catching('said'))
  const folder = words[1] === 'init' ? [] : ['--data-dir', data]
  process.exitCode = 0
  const code = (await main([...words, ...folder])) || process.exitCode
  process.exitCode = 0
  vi.restoreAllMocks()
  return { code, ...written }
}

async function bundle(name: string, ...words: readonly string[]): Promise<string> {
  const folder = join(place, name)
  expect(await chandler('apb', 'init', folder, ...words)).toMatchObject({ code: 0 })
  return folder
}

function edit(file: string, from: string | RegExp, to: string): void {
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to))
}

describe.skipIf(missing !== undefined)('chandler apb', () => {
  test('init writes a bundle that is listed, passes its test, and lives its whole life', async () => {
    const folder = await bundle('whole')
    const lint = await chandler('apb', 'lint', folder)
    const tested = await chandler('apb', 'test', folder)
    const provisioned = await chandler('apb', 'run', 'provision', folder, '-p', 'greeting=good day')
    const bound = await chandler('apb', 'run', 'bind', folder, '--binding', 'app')
    const testedAgain = await chandler('apb', 'test', folder)
    const updated = await chandler('apb', 'run', 'update', folder, '-p', 'greeting=bye')
    const unbound = await chandler('apb', 'run', 'unbind', folder, '--binding', 'app')
    const gone = await chandler('apb', 'run', 'deprovision', folder)

    expect(lint).toMatchObject({ code: 0, out: 'It would be listed as local-whole.\n' })
    expect([tested, provisioned, bound, testedAgain, updated, unbound, gone].map(({ code }) => code)).toEqual(
      [0, 0, 0, 0, 0, 0, 0],
    )
    expect(JSON.parse(bound.out)).toEqual({
      greeting: 'good day',
      username: expect.stringMatching(/^user-[0-9a-f]{24}$/),
      password: expect.stringMatching(/^[0-9a-f]{24}$/),
    })
    // The binding's own credentials came back, and are not shown.
    expect(unbound.said).toContain('removing [redacted]')
  })

  test('test fails with the words that the bundle has for its user', async () => {
    const folder = await bundle('failing')
    edit(join(folder, 'apb.yml'), 'default: hello', "default: ''")
    const ran = await chandler('apb', 'test', folder)

    expect(ran).toMatchObject({ code: 3, said: expect.stringContaining('there is no greeting') })
  })

  test('an edit is what the next run runs', async () => {
    const folder = await bundle('edited')
    await chandler('apb', 'run', 'provision', folder, '--name', 'edited')
    edit(join(folder, 'root/opt/bundle/entrypoint'), 'echo "removing everything"', 'echo "newly removing"')

    expect(await chandler('apb', 'run', 'deprovision', folder, '--name', 'edited')).toMatchObject({
      code: 0,
      said: expect.stringContaining('newly removing'),
    })
  })

  test('a secret is lent as an operator would, and never shown', async () => {
    const folder = await bundle('lent')
    edit(
      join(folder, 'root/opt/bundle/entrypoint'),
      'progress testing',
      'cat /etc/apb-secrets/apb-db/..data/key; fail "$(cat /etc/apb-secrets/apb-db/key | wc -c)"',
    )
    edit(join(folder, 'image.yml'), '[sh,', '[sh, wc,')
    writeFileSync(join(place, 'key'), 'of-the-operator\n')
    const ran = await chandler('apb', 'test', folder, '--secret', `db/key=${join(place, 'key')}`)

    expect(ran).toMatchObject({ code: 3, said: expect.stringContaining('15') })
    expect(ran.said).not.toContain('of-the-operator')
  })

  test.each([
    [['apb', 'run', 'dance'], 'dance; there are provision, update, bind, unbind, deprovision, test'],
    [['apb', 'run', 'provision', '--plan', 'big'], 'big; it offers default'],
    [['apb', 'run', 'provision', '-p', 'role_name=evil'], 'role_name'],
    [['apb', 'test', '-p', 'role_name=evil'], 'role_name'],
    [['apb', 'run', 'provision', '--secret', 'db'], 'is not NAME/KEY=FILE'],
    [['apb', 'run', 'unbind'], 'bundle'],
  ])('%j is refused with a reason, and leaves nothing behind', async (words, reason) => {
    const folder = join(place, 'refused')
    await chandler('apb', 'init', folder)
    const [group = '', command = '', ...rest] = words
    const position = command === 'run' ? [rest[0] ?? '', folder, ...rest.slice(1)] : [folder, ...rest]
    const ran = await chandler(group, command, ...position)

    expect(ran.code).not.toBe(0)
    expect(ran.said).toContain(reason)
    expect((await chandler('attach')).out).not.toContain('running')
  })

  test('lint tells file and line, for programs, too, and ends with 9', async () => {
    const folder = await bundle('wrong')
    edit(join(folder, 'apb.yml'), 'version: 1.0', 'version: 1')
    edit(join(folder, 'apb.yml'), 'bindable: true', 'bindable: "True"')
    const people = await chandler('apb', 'lint', folder)
    const programs = await chandler('apb', 'lint', folder, '-o', 'json')
    const built = await chandler('apb', 'build', folder)

    expect(people).toMatchObject({ code: 9 })
    expect(people.out).toMatch(/error: \S*apb\.yml line 1:1: Spec \[wrong\] failed version validation/)
    expect(people.out).toMatch(/warning: \S*apb\.yml line 4:1: bindable is a quoted text/)
    expect(people.out).toContain('It would not be listed: 1 error, with 1 warning.')
    expect(JSON.parse(programs.out)).toMatchObject({
      listed: false,
      findings: [
        { severity: 'error', code: 'apb.spec.version', line: 1 },
        { severity: 'warning', line: 4 },
      ],
    })
    expect(built).toMatchObject({ code: 9, said: expect.stringContaining('version validation') })
  })

  test('an image is looked over by its label', async () => {
    const folder = await bundle('labelled')
    const to = `oci:${join(place, 'images')}:labelled`
    await chandler('apb', 'build', folder, '--to', to)
    const plain = `oci:${join(place, 'images')}:plain`
    await chandler('tweed', 'init', join(place, 'plain'))
    await chandler('tweed', 'build', join(place, 'plain'), '--to', plain)

    expect(await chandler('apb', 'lint', to, '--registry', 'dh')).toMatchObject({
      code: 0,
      out: 'It would be listed as dh-labelled.\n',
    })
    expect(await chandler('apb', 'lint', plain)).toMatchObject({
      code: 9,
      out: expect.stringContaining('the image has no label com.redhat.apb.spec'),
    })
  })

  test('a bundle of playbooks: prepare writes its label, build lays it upon the base', async () => {
    const folder = await bundle('playbooks', '--ansible', '--base', 'registry.example/apb-base:1')
    const before = await chandler('apb', 'lint', folder)
    const prepared = await chandler('apb', 'prepare', folder)
    const again = await chandler('apb', 'prepare', folder, '-o', 'json')
    const after = await chandler('apb', 'lint', folder)
    edit(join(folder, 'apb.yml'), 'hello', 'hallo')
    const stale = await chandler('apb', 'lint', folder)
    edit(join(folder, 'Dockerfile'), 'USER apb', 'USER 1001')
    const base = await bundle('base')
    const baseImage = `oci:${join(place, 'images')}:base`
    await chandler('apb', 'build', base, '--to', baseImage)
    const built = await chandler('apb', 'build', folder, '--base', baseImage, '-o', 'name')
    const listed = spawnSync('sh', ['-c', `cd ${folder} && find playbooks roles -type f | wc -l`]).stdout

    expect(before.out).toContain('there is no label yet')
    expect(prepared.out).toContain('written')
    expect(JSON.parse(again.out)).toMatchObject({ changed: false })
    expect(after.out).toBe('It would be listed as local-playbooks.\n')
    expect(stale.out).toMatch(/Dockerfile line 3: the label is not that of apb.yml/)
    expect(Number(listed)).toBe(11)
    expect(built).toMatchObject({ code: 0 })
    // The base's entrypoint runs, with the new label.
    const tested = await chandler('apb', 'test', built.out.trim())
    expect(tested).toMatchObject({ code: 0 })
    expect((await chandler('package', 'inspect', built.out.trim())).out).toContain('hallo')
  })

  test('init overwrites nothing', async () => {
    const folder = await bundle('once')

    expect(await chandler('apb', 'init', folder)).toMatchObject({
      code: 1,
      said: expect.stringContaining('exists'),
    })
  })
})
