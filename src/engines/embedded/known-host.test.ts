import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { testImages } from '../../../test/engines/images.ts'
import { freshName, jobOf, listener, orderOf } from '../../../test/engines/run-row.ts'
import { ensurePrograms } from '../../../test/support/debian.ts'
import { freshFolder } from '../../../test/support/image.ts'
import { openArtifactStore } from '../../artifacts/index.ts'
import { systemClock } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'
import type { Report } from '../../model/report.ts'
import type { Engine } from '../engine.ts'
import { openEmbeddedEngine } from './index.ts'
import { isDoubtful, knowHost, proofFile } from './known-host.ts'

const mark = 'remembered, not tried'
let folder: string
beforeEach(() => {
  folder = freshFolder('known')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const know = (anew = false, choice: 'plain' | 'auto' = 'plain') => knowHost({ folder, choice, anew })

/** Changes what is remembered without touching what it stands on, so that a remembered answer can be told from a fresh try. */
function alter(changes: { readonly [key in 'grounds' | 'runtime' | 'passedOver' | 'loan']?: unknown }): void {
  writeFileSync(proofFile(folder), JSON.stringify({ ...remembered(), ...changes }))
}

function remembered() {
  return JSON.parse(readFileSync(proofFile(folder), 'utf8'))
}

describe('what was found out about the host', () => {
  beforeEach(async () => {
    await know()
    alter({ passedOver: [mark] })
  })

  test('is remembered', async () => {
    expect((await know()).now().passedOver).toEqual([mark])
  })

  test.each<readonly [string, () => void]>([
    ['it stands on something else', () => alter({ grounds: 'another boot' })],
    ['its text is cut off', () => writeFileSync(proofFile(folder), '{"grounds":')],
    ['its text says something else', () => writeFileSync(proofFile(folder), '{"grounds":"","runtime":3}')],
    ['the runtime is none that is known', () => alter({ runtime: { kind: 'other' } })],
    ['the lent programs are gone', () => rmSync(join(folder, 'lent'), { recursive: true })],
    [
      'one of the lent programs is another now',
      () => alter({ loan: { ...remembered().loan, copied: ['/bin/true'] } }),
    ],
  ])('is tried anew when %s', async (_when, change) => {
    change()
    expect((await know()).now().passedOver).toEqual([])
    expect((await know()).now().passedOver).toEqual([])
  })

  test('is tried anew for another choice of runtime', async () => {
    expect((await know(false, 'auto')).now().passedOver).not.toContain(mark)
  })

  test('is tried anew by who asks for it, and remembered for the others', async () => {
    expect((await know(true)).now().passedOver).toEqual([])
    expect((await know()).now().passedOver).toEqual([])
  })

  test('is tried anew once when it is doubted', async () => {
    const known = await know()
    known.doubt()
    await known.settled()
    expect(known.now().passedOver).toEqual([])

    alter({ passedOver: [mark] })
    known.doubt()
    await known.settled()
    expect(known.now().passedOver).toEqual([])
    expect((await know()).now().passedOver).toEqual([mark])
  })
})

const report = { end: { kind: 'finished' }, steps: [], got: new Map(), logTail: '', notes: [] } as const
const ended = (exit: number): Report => ({
  ...report,
  startedAt: 0,
  finishedAt: 0,
  steps: [{ name: 's', exit }],
})

test.each<readonly [string, Report, boolean]>([
  ['is at its end well', ended(0), false],
  ['failed', ended(1), false],
  ['was killed', ended(137), false],
  ['had a program that cannot be executed', ended(126), true],
  ['had a program that is not there', ended(127), true],
  ['could not be started', { ...ended(0), end: { kind: 'not-started', detail: '' } }, true],
])('whether the host is doubted after a run that %s', (_what, of, expected) => {
  expect(isDoubtful(of)).toBe(expected)
})

const missing = ensurePrograms('busybox', 'runc')

describe.skipIf(missing !== undefined)('an engine that remembers a runtime which fails', () => {
  test('reports the run that shows it, and runs the next one with what works', async () => {
    const { plain } = await testImages(folder)
    const open = (): Promise<Engine> =>
      openEmbeddedEngine({
        folder,
        images: openArtifactStore({ folder: join(folder, 'images') }).images,
        supplies: { deliver: () => fail('internal.unexpected') },
        clock: systemClock,
        runtime: 'runc',
      })
    const perform = async (engine: Engine): Promise<Report> => {
      const order = orderOf(jobOf({ script: 'exit 3' }, plain), freshName())
      const { watch } = listener()
      await engine.layOut(order, watch)
      const seen = await engine.follow(await engine.start({ name: order.name, fence: 1 }), watch)
      await engine.discard(order.name)
      return seen
    }
    await (await open()).close()
    const { runtime: working } = remembered()
    alter({ runtime: { kind: 'runc', program: join(folder, 'gone') } })

    const engine = await open()
    expect((await perform(engine)).steps.map(({ exit }) => exit)).not.toEqual([3])
    await engine.close()
    expect(remembered().runtime).toEqual(working)
    expect((await perform(engine)).steps.map(({ exit }) => exit)).toEqual([3])
    await engine.close()
  })
})
