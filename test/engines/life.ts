/** What comes around a run: laid out once, started once, found again, stopped, gone. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Engine } from '../../src/engines/engine.ts'
import { merged, type Row, type Seen } from './row.ts'
import { type Candidate, freshName, type Images, jobOf, listener, orderOf, runJob } from './run-row.ts'

export interface Living {
  readonly engine: Engine
  readonly images: Images
  readonly candidate: Candidate
  readonly folder: string
}

/** A program that says that it began, waits for a while, and says that it ended. */
function waits(seconds: number): Omit<Row, 'title' | 'see'> {
  return {
    script: `echo began; sleep ${seconds}; echo ended`,
    act: async ({ stdout, stopped }) => {
      stdout('began\n')
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, seconds * 1000)
        stopped.addEventListener('abort', () => resolve(clearTimeout(timer)))
      })
      if (stopped.aborted) return 143
      stdout('ended\n')
      return 0
    },
    step: { streams: merged },
    limits: { graceSeconds: 0 },
  }
}

const million = 1_000_000

/** What there is of what programs have printed, in the folders of their runs. */
function bytesPrinted(runs: readonly string[]): number {
  const bytesOf = (run: string): number => {
    const streams = readdirSync(run).filter((name) => /^(out|err)\.\d/.test(name))
    // What was read meanwhile is gone.
    const sizes = streams.map((name) => statSync(join(run, name), { throwIfNoEntry: false })?.size ?? 0)
    return sizes.reduce((sum, size) => sum + size, 0)
  }
  return runs.map(bytesOf).reduce((a, b) => a + b, 0)
}

/** Where engines of this host have their runs. */
function runsBelow(folder: string): readonly string[] {
  return ['engine/runs', 'tickets/runs']
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path))
    .flatMap((path) => readdirSync(path).map((name) => join(path, name)))
}

const code = (expected: string) =>
  expect.objectContaining({ problem: expect.objectContaining({ code: expected }) })

/** The life of a run, as tests. */
export function describeLife(living: () => Living): void {
  const started = async (row: Omit<Row, 'title' | 'see'>, engine = living().engine) => {
    const order = orderOf(jobOf(row, living().images.plain))
    const heard = listener()
    await engine.layOut(order, heard.watch)
    const ticket = await engine.start({ name: order.name, fence: order.fence })
    return { order, ticket, ...heard }
  }

  test('laying out again is nothing, for another job it is a conflict', async () => {
    const { engine, images } = living()
    const order = orderOf(jobOf({ script: 'exit 0', act: () => 0 }, images.plain))
    const { watch } = listener()
    await engine.layOut(order, watch)
    await engine.layOut(order, watch)

    const other = orderOf(jobOf({ script: 'exit 1', act: () => 1 }, images.plain), order.name)
    await expect((async () => engine.layOut(other, watch))()).rejects.toThrow(code('engine.name-conflict'))
    await engine.discard(order.name)
  })

  test('what lies under a name is told at every stage', async () => {
    const { engine, images } = living()
    const order = orderOf(jobOf({ script: 'exit 0', act: () => 0 }, images.plain))
    const { watch } = listener()
    const seen: string[] = []
    const look = async () => seen.push((await engine.look(order.name)).kind)
    await look()
    await engine.layOut(order, watch)
    await look()
    const ticket = await engine.start({ name: order.name, fence: 1 })
    await look()
    await engine.follow(ticket, watch)
    await look()
    await engine.discard(order.name)
    await look()

    expect(seen).toEqual(['absent', 'laid-out', 'started', 'started', 'absent'])
  })

  test('many starts are one start', async () => {
    const { engine } = living()
    const { order, ticket, watch, log } = await started(waits(0.2))
    const start = { name: order.name, fence: 1 }

    await Promise.all(Array.from({ length: 8 }, async () => engine.start(start)))
    const report = await engine.follow(ticket, watch)
    await engine.start(start)

    expect(log().toString()).toBe('began\nended\n')
    expect(report.end).toEqual({ kind: 'finished' })
    await engine.discard(order.name)
  })

  test('starts at the same moment are one start', async () => {
    const { engine, images } = living()
    const order = orderOf(jobOf(waits(0.2), images.plain))
    const { watch, log } = listener()
    await engine.layOut(order, watch)

    const start = { name: order.name, fence: 1 }
    const [ticket = ''] = await Promise.all(Array.from({ length: 8 }, async () => engine.start(start)))
    await engine.follow(ticket, watch)

    expect(log().toString()).toBe('began\nended\n')
    await engine.discard(order.name)
  })

  test('without a layout nothing starts', async () => {
    const { engine } = living()

    await expect((async () => engine.start({ name: freshName(), fence: 1 }))()).rejects.toThrow(
      code('engine.layout-gone'),
    )
  })

  test('what was discarded before its start never starts', async () => {
    const { engine, images } = living()
    const order = orderOf(jobOf(waits(0.1), images.plain))
    await engine.layOut(order, listener().watch)
    await engine.discard(order.name)

    await expect((async () => engine.start({ name: order.name, fence: 1 }))()).rejects.toThrow(
      code('engine.layout-gone'),
    )
    expect(await engine.look(order.name)).toEqual({ kind: 'absent' })
  })

  test('what has ended and was discarded does not start again', async () => {
    const { engine } = living()
    const { order, ticket, watch } = await started(waits(0.1))
    await engine.follow(ticket, watch)
    await engine.discard(order.name)

    await expect((async () => engine.start({ name: order.name, fence: 1 }))()).rejects.toThrow(
      code('engine.layout-gone'),
    )
  })

  test('a later claim takes a layout over, an earlier one is refused', async () => {
    const { engine, images } = living()
    const job = jobOf(waits(0.1), images.plain)
    const first = orderOf(job, freshName(), 5)
    const { watch, log } = listener()
    await engine.layOut(first, watch)
    await engine.layOut({ ...first, fence: 6 }, watch)

    await expect((async () => engine.start({ name: first.name, fence: 5 }))()).rejects.toThrow(
      code('engine.layout-gone'),
    )
    await expect((async () => engine.layOut(first, watch))()).rejects.toThrow(code('engine.layout-gone'))
    await engine.follow(await engine.start({ name: first.name, fence: 6 }), watch)
    expect(log().toString()).toBe('began\nended\n')
    await engine.discard(first.name)
  })

  test('who leaves lets the run go on; who comes back is told the rest', async () => {
    const { engine } = living()
    const first = await started(waits(1))
    const following = engine.follow(first.ticket, first.watch)
    await expect.poll(() => first.log().toString()).toBe('began\n')
    first.stop.abort()
    if (engine.facts.outlives) await following

    const second = listener((_step, stream) => (stream === 'stdout' ? 'began\n'.length : 0))
    const report = await engine.follow(first.ticket, second.watch)

    expect(second.log().toString()).toBe('ended\n')
    expect(report.end).toEqual({ kind: 'finished' })
    expect(report.logTail).toBe('began\nended\n')
    await engine.discard(first.order.name)
  })

  test('a report can be asked for again', async () => {
    const { engine } = living()
    const { order, ticket, watch } = await started(waits(0.1))
    const one = await engine.follow(ticket, watch)
    const again = listener()
    const two = await engine.follow(ticket, again.watch)

    expect(two).toEqual(one)
    expect(again.log().toString()).toBe('began\nended\n')
    await engine.discard(order.name)
  })

  test('a slow listener slows the log and loses nothing', async () => {
    const { engine, images, candidate } = living()
    if (!candidate.shell) return
    const row = { script: 'yes 0123456789abcde | head -c 8388608', step: { streams: merged } }
    const order = orderOf(jobOf(row, images.plain))
    let bytes = 0
    let open = 0
    const { watch } = listener()
    await engine.layOut(order, watch)
    await engine.follow(await engine.start({ name: order.name, fence: 1 }), {
      ...watch,
      log: async (piece) => {
        expect(open++).toBe(0)
        await new Promise((resolve) => setTimeout(resolve, 2))
        bytes += piece.bytes.length
        open--
      },
    })

    expect(bytes).toBe(8_388_608)
    await engine.discard(order.name)
  })

  test('a program that prints without end takes a bounded part of the disk, and ends at its limit', async ({
    skip,
    task,
  }) => {
    const { engine, images, candidate, folder } = living()
    if (!candidate.shell) return
    const why = candidate.skips?.[task.name]
    if (why !== undefined) skip(why)
    const printedBytes = (): number => bytesPrinted(candidate.printed?.() ?? runsBelow(folder))
    const row = { script: 'yes', step: { streams: merged }, limits: { seconds: 8, graceSeconds: 1 } }
    const order = orderOf(jobOf(row, images.plain))
    const { watch } = listener()
    await engine.layOut(order, watch)
    const ticket = await engine.start({ name: order.name, fence: 1 })
    // The log has no listener yet: the program prints until it must wait.
    await expect.poll(() => printedBytes()).toBeGreaterThan(3 * million)
    let heard = 0
    let most = printedBytes()
    const report = await engine.follow(ticket, {
      ...watch,
      log: async (piece) => {
        heard += piece.bytes.length
        most = Math.max(most, printedBytes())
      },
    })

    expect(report.end).toEqual({ kind: 'timed-out' })
    expect(report.logTail).toMatch(/y\ny\n/)
    expect(heard).toBeGreaterThan(most)
    expect(most).toBeLessThan(16 * 1024 * 1024)
    await engine.discard(order.name)
  })

  test('a running program is stopped', async () => {
    const { engine } = living()
    const { order, ticket, watch, log } = await started(waits(1000))
    const following = engine.follow(ticket, watch)
    await expect.poll(() => log().toString()).toBe('began\n')
    await engine.stop(order.name, 0)
    const report = await following

    expect(report.end).toEqual({ kind: 'stopped' })
    expect(report.steps[0]?.exit).toBeGreaterThan(128)
    await engine.discard(order.name)
  })

  test('stopping what has ended, or never was, is nothing', async () => {
    const { engine } = living()
    const { order, ticket, watch } = await started(waits(0.1))
    const before = await engine.follow(ticket, watch)
    await engine.stop(order.name, 0)
    await engine.stop(freshName(), 0)

    expect((await engine.follow(ticket, listener().watch)).end).toEqual(before.end)
    await engine.discard(order.name)
  })

  test('discarding ends what still runs, and again is nothing', async () => {
    const { engine } = living()
    const { order } = await started(waits(1000))
    await engine.discard(order.name)
    await engine.discard(order.name)
    await engine.discard(freshName())

    expect(await engine.look(order.name)).toEqual({ kind: 'absent' })
  })

  test('what has ended stays as it ended while it is there, whoever comes late', async () => {
    const { engine } = living()
    const { order, ticket, watch } = await started(waits(0.1))
    const before = await engine.follow(ticket, watch)
    for (const fence of [1, 2]) {
      await engine.layOut({ ...order, fence }, watch)
      await engine.start({ name: order.name, fence })
    }
    const again = listener()

    expect(await engine.follow(ticket, again.watch)).toEqual(before)
    expect(again.log().toString()).toBe('began\nended\n')
    await engine.discard(order.name)
  })

  test('its owner and the sweep may take a run away at the same moment', async () => {
    const { engine } = living()
    const { order, ticket, watch } = await started(waits(0.1))
    await engine.follow(ticket, watch)
    const sweep = async () => {
      await engine.stop(order.name, 0)
      await engine.discard(order.name)
    }
    await Promise.all([engine.discard(order.name), sweep(), sweep()])

    expect(await engine.look(order.name)).toEqual({ kind: 'absent' })
  })

  test('runs are listed for their own cluster', async () => {
    const { engine, images } = living()
    const order = orderOf(jobOf({ script: 'exit 0', act: () => 0 }, images.plain))
    await engine.layOut(order, listener().watch)

    const ours = await engine.list('test-cluster')
    expect(ours.find(({ name }) => name === order.name)).toMatchObject({ operation: 'operation-1' })
    expect(await engine.list('another-cluster')).toEqual([])
    await engine.discard(order.name)
    expect((await engine.list('test-cluster')).find(({ name }) => name === order.name)).toBeUndefined()
  })

  test('what the engine cannot do is refused before anything happens', () => {
    const { engine, images } = living()
    const job = jobOf({ script: 'exit 0', act: () => 0 }, images.plain)

    expect(engine.refuses(job)).toBeUndefined()
    expect(engine.refuses({ ...job, program: { kind: 'pretend', milliseconds: 1, exit: 0 } })?.code).toBe(
      'engine.refused',
    )
    expect(engine.refuses({ ...job, needs: { ...job.needs, cluster: 'real' } })?.code).toBe('engine.refused')
  })

  test('eight runs at once do not disturb each other', async () => {
    const { engine, images } = living()
    const job = (i: number) =>
      jobOf(
        {
          script: `echo ${i}; exit ${i}`,
          act: ({ stdout }) => {
            stdout(`${i}\n`)
            return i
          },
          step: { streams: merged },
        },
        images.plain,
      )
    const all: readonly Seen[] = await Promise.all(
      Array.from({ length: 8 }, (_, i) => runJob(engine, job(i))),
    )

    expect(all.map(({ log, report }) => `${log}${report.steps[0]?.exit}`)).toEqual(
      all.map((_, i) => `${i}\n${i}`),
    )
  })

  test('nothing is left behind', async () => {
    const { engine, candidate } = living()

    expect(await engine.list('test-cluster')).toEqual([])
    await expect.poll(async () => (await candidate.leftovers?.()) ?? []).toEqual([])
  })
}
