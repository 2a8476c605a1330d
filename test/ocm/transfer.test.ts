/** Transfers to archives: several at once lose nothing, what a killed one left is cleared away, and only true bytes arrive. */
import { mkdirSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshFolder } from '../support/image.ts'
import { codesOf, judge, make, move } from './make.ts'

let home: string
let from: string
const names = ['one', 'two', 'three', 'four'].map((name) => `example.org/test/${name}`)
const bytes = 3 * 1024 * 1024 + 17

beforeAll(async () => {
  home = freshFolder('ocm-transfer')
  from = join(home, 'from')
  const file = (name: string, i: number) => {
    const path = join(home, `blob-${i}`)
    writeFileSync(path, Buffer.alloc(bytes, name))
    return path
  }
  const components = names.map((name, i) => ({
    name,
    version: '1.0.0',
    provider: { name: 'example.org' },
    resources: [{ name: 'blob', type: 'blob', input: { type: 'file', path: file(name, i) } }],
  }))
  await make(home, from, { components })
})

afterAll(() => rmSync(home, { recursive: true, force: true }))

describe.each(['to', 'to.tar', 'to.tgz'])('an archive %s', (kind) => {
  test('that several transfers write to at once holds what each has brought', async () => {
    const to = join(home, `at-once-${kind}`)
    const moved = await Promise.all(names.map((name) => move(`${from}//${name}:1.0.0`, to)))

    expect(moved.flat().map(({ present }) => present)).toEqual([false, false, false, false])
    for (const name of names)
      expect(await codesOf(judge(`${to}//${name}:1.0.0`, { digestsOnly: true }))).toEqual([])
    expect(readdirSync(home).filter((name) => name.startsWith('.'))).toEqual([])
  })

  test('that a killed transfer has left half a blob for is finished, and holds nothing else', async () => {
    const to = join(home, `half-${kind}`)
    const parts = kind === 'to' ? to : join(home, `.half-${kind}.parts`)
    const half = `sha256.${'0'.repeat(64)}.4711-0123456789ab.tmp`
    mkdirSync(join(parts, 'blobs'), { recursive: true })
    writeFileSync(join(parts, 'blobs', half), 'half')
    await move(`${from}//${names[0]}:1.0.0`, to)

    expect(await codesOf(judge(to, { digestsOnly: true }))).toEqual([])
    if (kind === 'to') expect(readdirSync(join(to, 'blobs'))).not.toContain(half)
    expect(readdirSync(home).filter((name) => name.startsWith('.'))).toEqual([])
  })
})

test.each<[string, (blob: string) => void]>([
  ['other bytes of the same size', (blob) => writeFileSync(blob, Buffer.alloc(bytes, 'x'))],
  ['fewer bytes', (blob) => truncateSync(blob, 100)],
  ['more bytes', (blob) => writeFileSync(blob, Buffer.alloc(bytes, 'one'), { flag: 'a' })],
])('a blob with %s does not arrive, and is found where it lies', async (fact, change) => {
  const lying = join(home, `lying-${fact.replaceAll(' ', '-')}`)
  const to = `${lying}-to`
  await move(`${from}//${names[0]}:1.0.0`, lying)
  const blob = readdirSync(join(lying, 'blobs')).find(
    (name) => statSync(join(lying, 'blobs', name)).size === bytes,
  )
  change(join(lying, 'blobs', blob ?? ''))

  expect(await codesOf(move(`${lying}//${names[0]}:1.0.0`, to))).toEqual(['artifact.altered'])
  expect(await codesOf(judge(lying, { digestsOnly: true }))).toEqual(['artifact.altered'])
  expect(readdirSync(join(to, 'blobs')).filter((name) => name.includes('.tmp') || name === blob)).toEqual([])
})
