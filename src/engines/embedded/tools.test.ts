/** Programs of the host or of a package run in a workspace of their own, and can write nowhere else. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { systemClock } from '../../kit/clock.ts'
import { type Job, usualLimits } from '../../model/job.ts'
import type { Supply } from '../supplies.ts'
import { openEmbeddedEngine } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'embedded-tools-'))
const engine = await openEmbeddedEngine({
  folder,
  clock: systemClock,
  images: { open: never, unpack: never },
  supplies: { deliver: async (what, to) => deliver(what, to) },
})
afterAll(async () => {
  await engine.close()
  rmSync(folder, { recursive: true, force: true })
})

function never(): never {
  throw new Error('no image is needed')
}

async function deliver(what: Supply, to: string): Promise<void> {
  const { writeFile } = await import('node:fs/promises')
  await writeFile(to, `#!/bin/sh\necho I am ${what.kind === 'entry' ? what.entry : what.reference}\n`, {
    mode: 0o755,
  })
}

async function run(script: string): Promise<string> {
  const job: Job = {
    program: {
      kind: 'tools',
      tools: [
        { name: 'sh', from: { kind: 'host' } },
        {
          name: 'packed',
          from: { kind: 'archive', digest: `sha256:${'0'.repeat(64)}`, entry: 'bin/packed' },
        },
      ],
    },
    steps: [
      {
        name: 'script',
        command: { kind: 'exec', argv: ['sh', '-c', script] },
        environment: {},
        streams: { kind: 'merged' },
      },
    ],
    files: [
      {
        path: 'given/file',
        mode: 0o644,
        owner: 'user',
        readOnly: false,
        content: { kind: 'bytes', bytes: Buffer.from('given') },
      },
    ],
    folders: [],
    wants: [],
    needs: { cluster: 'none', network: 'none', readOnlyRoot: false },
    limits: { ...usualLimits, seconds: 30 },
  }
  const watch = {
    had: () => 0,
    log: async () => undefined,
    progress: () => undefined,
    kept: async () => undefined,
    signal: new AbortController().signal,
  }
  const name = `chd-tools-${Math.random().toString(36).slice(2)}`
  await engine.layOut({ name, job, cluster: 'c', operation: 'o', fence: 1 }, watch)
  try {
    return (await engine.follow(await engine.start({ name, fence: 1 }), watch)).logTail
  } finally {
    await engine.discard(name)
  }
}

test.each([
  [
    'the workspace is where it stands and can be written',
    'pwd; mkdir .made && echo x > .made/y && cat .made/y',
    '/workspace\nx\n',
  ],
  [
    'files that were given can be changed',
    'cat given/file; echo " changed" >> given/file; cat given/file',
    'givengiven changed\n',
  ],
  ['temporary files can be made', 'echo t > /tmp/t && cat /tmp/t', 't\n'],
  [
    'nothing else of the root can be written',
    'touch /x /usr/x /tools/x 2>/dev/null; ls /x /usr/x /tools/x 2>/dev/null; echo done',
    'done\n',
  ],
  ['a program of the package is found by its name', 'packed', 'I am bin/packed\n'],
])(
  '%s',
  async (_fact, script, wanted) => {
    expect(await run(script)).toBe(wanted)
  },
  30_000,
)
