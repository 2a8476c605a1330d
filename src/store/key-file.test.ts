/** What reaches the disk, and in which order, when a ring is made or changed. */
import type * as Fs from 'node:fs'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'

const calls = vi.hoisted(() => [] as string[])
vi.mock('node:fs', async (actual) => {
  const fs = await actual<typeof Fs>()
  const names = new Map<number, string>()
  const tell = (what: string) => void calls.push(what.replaceAll(/\S*\/(?=\S)/g, ''))
  return {
    ...fs,
    openSync: (...given: Parameters<typeof fs.openSync>) => {
      const handle = fs.openSync(...given)
      names.set(handle, fs.fstatSync(handle).isDirectory() ? 'the folder' : String(given[0]))
      return handle
    },
    writeSync: (handle: number, text: string) => {
      tell(`write ${names.get(handle)}`)
      return fs.writeSync(handle, text)
    },
    fsyncSync: (handle: number) => {
      tell(`sync ${names.get(handle)}`)
      fs.fsyncSync(handle)
    },
    linkSync: (from: string, to: string) => {
      tell(`link ${from} ${to}`)
      fs.linkSync(from, to)
    },
    renameSync: (from: string, to: string) => {
      tell(`rename ${from} ${to}`)
      fs.renameSync(from, to)
    },
  }
})

test('a ring is on the disk before it has its name, and its name before anything is sealed', async () => {
  // Test files share their modules: those that were loaded before would not see the watched calls.
  vi.resetModules()
  const [{ systemChance }, { addKey, openKeyRing }] = await Promise.all([
    import('../kit/clock.ts'),
    import('./keys.ts'),
  ])
  const file = join(mkdtempSync(join(tmpdir(), 'chandler-keys-')), 'keys.json')
  calls.length = 0

  openKeyRing(file, systemChance).make()
  const made = calls.splice(0)
  addKey(file, systemChance)

  const written = ['write .keys.json.next', 'sync .keys.json.next']
  expect(made).toEqual([...written, 'link .keys.json.next keys.json', 'sync the folder'])
  expect(calls).toEqual([...written, 'rename .keys.json.next keys.json', 'sync the folder'])
})
