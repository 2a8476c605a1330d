/** What the contract leaves open and the corpus has no case for: each decision, through a whole broker. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemClock } from '../../src/kit/clock.ts'
import { ensurePrograms } from '../support/debian.ts'
import type { Case, CaseImage, OperationName, Seen, Step } from './case.ts'
import { Stage, type StageOrder } from './case-stage.ts'
import { type OpenTheatre, openTheatre } from './cases.ts'

const missing = ensurePrograms('busybox')
let theatre: OpenTheatre
beforeAll(async () => {
  if (missing === undefined) theatre = await openTheatre({ engine: 'embedded' })
})
afterAll(() => theatre?.close())

interface Played {
  readonly stage: Stage
  readonly folder: string
  /** Runs an operation on instance i1 to its end. */
  run(op: Exclude<OperationName, 'metadata'>, step?: Step): Promise<Seen>
  /** Publishes the image again. */
  publish(image: CaseImage): Promise<void>
}

/** A broker of its own for a pattern. */
async function play(
  name: string,
  image: CaseImage,
  more: Partial<StageOrder> & { readonly options?: Case['settings'] },
  act: (at: Played) => Promise<void>,
): Promise<void> {
  const { options, ...order } = more
  const folder = mkdtempSync(join(theatre.folder, `${name}-`))
  const stage = new Stage({
    folder,
    images: join(theatre.folder, 'images'),
    reference: await theatre.shop.build(name, image),
    case: { id: name, title: name, image, steps: [], ...(options ? { settings: options } : {}) },
    ...(theatre.settings ? { settings: theatre.settings } : {}),
    ...order,
  })
  try {
    await act({
      stage,
      folder,
      run: async (op, step = {}) => (await stage.order({ op, ...step }, op))(),
      publish: async (next) => {
        await theatre.shop.build(name, next)
      },
    })
  } finally {
    await stage.close()
  }
}

/** Looks until it is so. */
async function until(look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) await systemClock.sleep(20)
}

describe.skipIf(missing !== undefined)('decisions where the contract is silent', () => {
  test.concurrent.each([
    [false, ['running', 'queued']],
    [true, ['running', 'running']],
  ])('two binds of one instance, allowed at once: %s, are %j', async (bindsInParallel, states) => {
    const image = { ops: { bind: 'sleep 600\n' } }
    const options = { bindsInParallel, killGraceSeconds: 0 }
    await play(`parallel-${bindsInParallel}`, image, { options }, async ({ stage, run }) => {
      await run('provision')
      const ends = []
      for (const binding of ['b1', 'b2']) ends.push(await stage.order({ binding }, 'bind'))
      const seen = async () => (await stage.underWay('i1')).map(({ state }) => state)
      await until(
        async () =>
          (await seen()).filter((state) => state === 'running').length === states.lastIndexOf('running') + 1,
      )

      expect(await seen()).toEqual(states)

      for (const binding of ['b1', 'b2']) await stage.order({ binding, acceptBusy: true }, 'unbind')
      await Promise.all(ends.map((end) => end()))
    })
  })

  test.concurrent('an instance that never came to be stays failed when its removal fails', async () => {
    const image = { ops: { provision: 'exit 1\n', deprovision: 'exit 1\n' } }
    await play('stays-failed', image, {}, async ({ stage, run }) => {
      await run('provision')
      const { outcome } = await run('deprovision')

      expect([outcome, await stage.instanceState('i1')]).toEqual(['failed', 'failed'])
      expect(await run('bind', { binding: 'b1' })).toMatchObject({ outcome: 'rejected', ran: false })
    })
  })

  test.concurrent('a removal that fails keeps what it wrote, so that it can be resumed', async () => {
    const deprovision =
      'if [ -f "$CREDSTORE/tried" ]; then cat "$CREDSTORE/tried"; else echo once > "$CREDSTORE/tried"; exit 1; fi\n'
    await play('resumed', { ops: { deprovision } }, {}, async ({ run }) => {
      await run('provision')

      expect(await run('deprovision')).toMatchObject({ outcome: 'failed' })
      expect(await run('deprovision')).toMatchObject({ outcome: 'succeeded', log: 'once\n' })
    })
  })

  test.concurrent('an instance keeps its image until an operator moves it', async () => {
    const saying = (word: string): CaseImage => ({ ops: { bind: `echo "from: ${word}"\n` } })
    await play('moving-tag', saying('old'), {}, async ({ stage, run, publish }) => {
      await run('provision')
      await publish(saying('new'))
      await stage.stop()

      expect(await run('bind', { binding: 'b1' })).toMatchObject({ credentials: { from: 'old' } })
      await run('provision', { instance: 'i2' })
      expect(await run('bind', { instance: 'i2', binding: 'b1' })).toMatchObject({
        credentials: { from: 'new' },
      })
      await stage.replaceImage()
      expect(await run('bind', { binding: 'b2' })).toMatchObject({ credentials: { from: 'new' } })
    })
  })

  test.concurrent('an image is asked for its metadata once, whatever it would say the next time', async () => {
    const metadata = `printf 'pattern: tweed/v1\\nname: Case\\nversion: 1.0.%d\\n' "0x$(head -c3 /dev/urandom | od -An -tx1 | tr -d ' \\n')"\n`
    await play('asked-once', { ops: { metadata } }, {}, async ({ stage }) => {
      const version = async () => (await stage.broker()).catalog().offers[0]?.package.version
      const first = await version()
      await stage.stop()

      expect(await version()).toBe(first)
    })
  })

  test.concurrent('a limit counts failed instances, and forgets those that are gone', async () => {
    const image = { ops: { provision: 'exit 1\n' } }
    await play('limited', image, { entry: { plans: [{ name: 'one', limit: 1 }] } }, async ({ run }) => {
      await run('provision')

      expect(await run('provision', { instance: 'i2' })).toMatchObject({ outcome: 'rejected', ran: false })
      await run('deprovision')
      expect(await run('provision', { instance: 'i2' })).toMatchObject({ outcome: 'failed', ran: true })
    })
  })

  test.concurrent('a binding takes no parameters, and says so', async () => {
    await play('no-parameters', {}, {}, async ({ run }) => {
      await run('provision')

      expect(await run('bind', { binding: 'b1', params: { role: 'reader' } })).toMatchObject({
        outcome: 'rejected',
        message: expect.stringContaining('take no parameters'),
      })
      expect(await run('bind', { binding: 'b1', params: {} })).toMatchObject({ outcome: 'succeeded' })
    })
  })

  test.concurrent('what the operator lends reaches every operation but metadata, and no log', async () => {
    const look = 'echo "account ${ACCOUNT:-none}" >&2; cat "$HOME/.kube/config" >&2 || true\n'
    const ops = {
      metadata: `${look}cat /pattern.d/metadata.yml\n`,
      provision: look,
      bind: `${look}echo "{}"\n`,
      unbind: look,
      deprovision: look,
    }
    const infrastructure = [
      { name: 'ACCOUNT', value: 'lent-account' },
      { name: '~/.kube/config', value: 'lent-cluster' },
    ]
    await play('lent', { ops }, { entry: { infrastructure } }, async ({ stage, run }) => {
      const described = await stage.metadata()
      const logs = [
        await run('provision'),
        await run('bind', { binding: 'b1' }),
        await run('unbind', { binding: 'b1' }),
        await run('deprovision'),
      ].map(({ log }) => log)

      expect(described.log).toMatch(/^account none\n.*No such file/)
      for (const log of logs) {
        expect(log).toMatch(/^account \S+\n\S+/)
        expect(log).not.toMatch(/none|lent|No such file/)
      }
    })
  })

  test.concurrent('ported stencils may be told who they are, and read their inputs in bind', async () => {
    const look = 'echo "{id: $CHANDLER_INSTANCE_ID, inputs: $(cat "$INPUTS")}"\n'
    const image = { metadata: { inputs: { size: { type: 'integer' } } }, ops: { bind: look, unbind: look } }
    const options = { identity: true, inputsInBind: true }
    await play('ported', image, { options }, async ({ run }) => {
      await run('provision', { params: { size: 3 } })

      expect(await run('bind', { binding: 'b1' })).toMatchObject({
        credentials: { id: 'i1', inputs: { size: 3 } },
      })
      expect((await run('unbind', { binding: 'b1' })).log).toContain('inputs: {"size":3}')
    })
  })

  test.concurrent('credentials, store and outputs lie sealed on the disk', async () => {
    // Made while it runs, for the scripts themselves lie in the image.
    const make = 'word=$(echo yranac-terces | rev)\n'
    const ops = {
      provision: `${make}echo "$word" > "$CREDSTORE/a"; echo "$word" > "$OUTPUTS/b"\n`,
      bind: `${make}echo "word: $word"\n`,
    }
    await play('sealed', { ops }, {}, async ({ stage, folder, run }) => {
      await run('provision')
      const { credentials } = await run('bind', { binding: 'b1' })
      await stage.stop()
      const found = spawnSync('grep', ['-rl', 'secret-canary', join(folder, 'data')], { encoding: 'utf8' })

      expect(credentials).toEqual({ word: 'secret-canary' })
      expect([found.stdout, found.status]).toEqual(['', 1])
    })
  })

  test.concurrent('what the pattern cannot know stands in its log', async () => {
    const provision = 'ln -s /etc/passwd "$OUTPUTS/link"; printf half; sleep 600\n'
    const options = { timeoutSeconds: { provision: 1 }, killGraceSeconds: 0 }
    await play('remarks', { ops: { provision } }, { options }, async ({ run }) => {
      const { log } = await run('provision')

      expect(log).toMatch(/^half\n\[chandler\] .*link.*\n\[chandler\] stopped after its time limit of 1 s\n$/)
    })
  })
})
