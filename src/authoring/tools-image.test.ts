import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freshFolder, writeTree } from '../../test/support/image.ts'
import { openArtifactStore } from '../artifacts/index.ts'
import { buildFolder } from './build-folder.ts'

let home: string
let folder: string
let dataDir: string

beforeEach(() => {
  home = freshFolder('tools-image')
  folder = join(home, 'package')
  dataDir = join(home, 'data')
  writeTree(folder, { 'image.yml': 'tools: [sh, cat]\n', 'root/run': 'first' })
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

async function layers(): Promise<readonly string[]> {
  const store = openArtifactStore({ folder: join(home, 'store') })
  const { manifest } = await store.images.open(await buildFolder({ folder, dataDir }))
  await store.close()
  return (manifest['layers'] as unknown as readonly { readonly digest: string }[]).map(({ digest }) => digest)
}

function note(): string {
  const name = readdirSync(join(dataDir, 'built')).find((one) => /^tools-.*\.json$/.test(one)) ?? ''
  return join(dataDir, 'built', name)
}

test('an edit changes the layer of the folder only, and the programs are not packed again', async () => {
  const before = await layers()
  const made = statSync(note()).mtimeMs
  writeFileSync(join(folder, 'root/run'), 'second')
  const after = await layers()

  expect(before).toHaveLength(2)
  expect(after[0]).toBe(before[0])
  expect(after[1]).not.toBe(before[1])
  expect(statSync(note()).mtimeMs).toBe(made)
})

test.each(['{"files":[{"path":"/bin/sh","place":"/bin/sh","stamp":"1 1"}]}', '{"files":'])(
  'programs that have changed are packed again: %s',
  async (text) => {
    await layers()
    const right = readFileSync(note(), 'utf8')
    writeFileSync(note(), text)
    await layers()

    expect(readFileSync(note(), 'utf8')).toBe(right)
  },
)

test('where the folder would hide them, the programs go into its own layer', async () => {
  mkdirSync(join(folder, 'root/usr/bin'), { recursive: true })
  symlinkSync('usr/bin', join(folder, 'root/bin'))

  expect(await layers()).toHaveLength(1)
})
