import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { freshFolder } from '../../test/support/image.ts'
import { findHostTools, putHostTools } from './host-tools.ts'

const root = freshFolder('tools')

afterEach(() => rmSync(root, { recursive: true, force: true }))

test.skipIf(process.getuid?.() !== 0)('a program runs in a root that holds nothing else', async () => {
  await putHostTools(root, await findHostTools(['sh', 'cat']))

  const run = spawnSync('chroot', [root, '/bin/sh', '-c', 'echo hello | /bin/cat'], { encoding: 'utf8' })

  expect(run.stderr).toBe('')
  expect(run.stdout).toBe('hello\n')
})

test('a program that is not here is named', async () => {
  await expect(findHostTools(['no-such-program'])).rejects.toThrow(
    'A file cannot be read: there is no program no-such-program on this machine',
  )
})
