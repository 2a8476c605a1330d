import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemClock as clock } from '../../kit/clock.ts'
import { openRemover } from './remover.ts'

const folder = mkdtempSync(join(tmpdir(), 'embedded-remover-'))
const remover = openRemover(clock)
afterAll(() => {
  remover.close()
  rmSync(folder, { recursive: true, force: true })
})

function tree(name: string): string {
  const path = join(folder, name)
  mkdirSync(join(path, 'below'), { recursive: true })
  writeFileSync(join(path, 'below', 'file'), '')
  return path
}

test('trees go together, whatever they are called, and one after the other', async () => {
  const odd = [' begins with a space', 'ends with one ', '-rf', '$(touch x)', 'back\\slash', "it's"].map(tree)
  expect(await remover.remove(odd)).toBe(true)
  expect(odd.map((path) => existsSync(path))).toEqual(odd.map(() => false))

  const next = tree('next')
  expect(await remover.remove([next, join(folder, 'never there')])).toBe(true)
  expect(existsSync(next)).toBe(false)
})

test('what no line can carry, and what cannot be removed, is answered for somebody else to try', async () => {
  const path = tree('two\nlines')
  expect(await remover.remove([path])).toBe(false)
  expect(existsSync(path)).toBe(true)
  expect(await remover.remove(['/proc/version'])).toBe(false)
})
