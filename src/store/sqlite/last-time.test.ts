/** The clock of the machine is set while no process has the file: deadlines and leases go by what has really passed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeKeyRing } from '../../../test/support/key-ring.ts'
import { anOperation } from '../../../test/support/rows.ts'
import { systemChance } from '../../kit/clock.ts'
import { openStore } from '../index.ts'
import type { Store } from '../store.ts'
import type { Uptime } from './last-time.ts'

const hour = 3_600_000
const start = Date.UTC(2030, 0, 1)
const passed = 60_000
const [same, other] = ['boot 1', 'boot 2']

test.each([
  { name: 'three hours back', stepMs: -3 * hour, boot: same, isBusy: true, expected: passed },
  { name: 'three hours forward', stepMs: 3 * hour, boot: same, isBusy: true, expected: passed },
  {
    name: 'forward, nothing under way',
    stepMs: 3 * hour,
    boot: same,
    isBusy: false,
    expected: passed + 3 * hour,
  },
  {
    name: 'forward, machine started anew',
    stepMs: 3 * hour,
    boot: other,
    isBusy: true,
    expected: passed + 3 * hour,
  },
  { name: 'back, machine started anew', stepMs: -3 * hour, boot: other, isBusy: true, expected: 1000 },
  { name: 'not at all, machine started anew', stepMs: 0, boot: other, isBusy: true, expected: passed },
])('a clock that is set: $name', async ({ stepMs, boot, isBusy, expected }) => {
  const machine = makeMachine()
  const first = await machine.open(same)
  if (isBusy) await first.write((tx) => tx.addOperation(anOperation()))
  else await first.probe()
  const before = await first.look.now()
  await first.close()

  machine.pass(passed)
  machine.step(stepMs)
  const second = await machine.open(boot)

  expect((await second.look.now()) - before).toBe(expected)
  await second.close()
})

function makeMachine() {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-clock-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const keys = makeKeyRing(systemChance)
  let wall = start
  let ms = 5000
  const clock = { now: () => wall, monotonic: () => ms, sleep: () => Promise.resolve() }
  return {
    pass(more: number) {
      wall += more
      ms += more
    },
    step(more: number) {
      wall += more
    },
    open(boot: string): Promise<Store> {
      const uptime = (): Uptime => ({ boot, ms })
      return openStore({ url: `sqlite:${join(folder, 'chandler.db')}`, keys, clock, uptime })
    },
  }
}
