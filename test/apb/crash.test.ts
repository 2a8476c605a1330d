/** A broker that is killed while a bundle works: the bundle's client asks again, finds its state, and it ran once. */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Answer, offeringOn, Platform } from '../cnab/platform.ts'
import { configuration, newFolder } from '../support/broker.ts'
import { startBrokerProcess } from '../support/broker-process.ts'
import { ensurePrograms } from '../support/debian.ts'
import { bundleImage } from './image.ts'
import { specOf } from './spec.ts'

const missing = ensurePrograms('busybox', 'curl')

const spec = specOf('slow-apb', {
  parameters: ['{name: fails, type: enum, enum: [none, provision, update], default: none, updatable: true}'],
})

/** Calls before and after the broker is killed; what was made before must be there after. */
const entrypoint = `
vars=$3
echo "begin $1 $POD_NAME"
at=/api/v1/namespaces/$POD_NAMESPACE/configmaps
call POST $at '' '{"metadata":{"name":"half-way"},"data":{"run":"'$POD_NAME'"}}' > /dev/null
echo "half $1"
i=0
while [ $i -lt 40 ]; do call GET $at/half-way > /tmp/seen; sleep 0.1; i=$((i+1)); done
grep -q "$POD_NAME" /tmp/seen || { echo "lost its state"; exit 9; }
case $1 in provision|update|bind) credentials '{"run":"'$POD_NAME'"}' > /tmp/made; tail -1 /tmp/made | grep -q 201 || exit 9 ;; esac
printf %s "$vars" | grep -q "\\"fails\\":\\"$1\\"" && { printf 'told to fail' > /dev/termination-log; exit 4; }
exit 0
`

type Order = (platform: Platform) => Promise<Answer>

interface Row {
  readonly name: string
  /** What has to be there before. */
  readonly before: readonly (readonly [string, Order])[]
  readonly path: string
  readonly order: Order
  readonly kills: number
  readonly state: string
}

const provision =
  (fails: string): Order =>
  (platform) =>
    platform.provision('i1', 'default', { fails })
const made = ['i1', provision('none')] as const
const b1 = 'i1/service_bindings/b1'
const bound = [b1, (platform: Platform) => platform.bind('i1', 'b1', 'default')] as const

const rows: readonly Row[] = [
  {
    name: 'a provision that succeeds',
    before: [],
    path: 'i1',
    order: provision('none'),
    kills: 1,
    state: 'succeeded',
  },
  {
    name: 'a provision that fails',
    before: [],
    path: 'i1',
    order: provision('provision'),
    kills: 1,
    state: 'failed',
  },
  {
    name: 'a provision, again and again',
    before: [],
    path: 'i1',
    order: provision('none'),
    kills: 3,
    state: 'succeeded',
  },
  {
    name: 'an update',
    before: [made],
    path: 'i1',
    order: (p) => p.update('i1', 'default', { fails: 'update' }),
    kills: 1,
    state: 'failed',
  },
  { name: 'a bind', before: [made], path: b1, order: bound[1], kills: 1, state: 'succeeded' },
  {
    name: 'an unbind',
    before: [made, bound],
    path: b1,
    order: (p) => p.remove(b1, 'default'),
    kills: 2,
    state: 'succeeded',
  },
  {
    name: 'a deprovision',
    before: [made],
    path: 'i1',
    order: (p) => p.remove('i1', 'default'),
    kills: 2,
    state: 'succeeded',
  },
]

describe.skipIf(missing !== undefined)('kill -9 during', () => {
  test.each(rows)(
    '$name',
    async ({ before, path, order, kills, state }) => {
      const home = newFolder()
      const { reference } = await bundleImage(home, 'slow', { spec, entrypoint })
      const config = join(home, 'chandler.yml')
      const options = { registry: 'dh', namespace: 'target', launchOnBind: 'always' }
      writeFileSync(config, offeringOn([{ package: reference, options }])(configuration()))
      const place = { dataDir: join(home, 'data'), config }
      let broker = await startBrokerProcess(place)
      const platform = () => new Platform({ url: broker.url, logLines: [] })
      try {
        for (const [at, make] of before)
          expect(await platform().end(at, await make(platform()))).toMatchObject({ state: 'succeeded' })
        const ordered = await order(platform())
        expect(ordered.status).toBe(202)
        const operation = String(ordered.body['operation'])
        while (!(await platform().log(operation)).includes('half'))
          await new Promise((resolve) => setTimeout(resolve, 20))
        for (let i = 0; i < kills; i++) {
          await broker.end('SIGKILL')
          broker = await startBrokerProcess(place)
        }

        expect(await platform().end(path, ordered)).toMatchObject({ state })
        expect((await platform().log(operation)).match(/begin \S+ \S+/g)).toHaveLength(1)
        expect(await platform().log(operation)).not.toContain('lost its state')
        if (path === b1 && state === 'succeeded' && kills === 1) {
          const { body } = await platform().ask('GET', `/v2/service_instances/${b1}`)
          expect(body).toMatchObject({ credentials: { run: expect.stringContaining('bundle-') } })
          expect(await platform().end(b1, await platform().remove(b1, 'default'))).toMatchObject({
            state: 'succeeded',
          })
        }
        const last = await platform().remove('i1', 'default')
        expect(await platform().end('i1', last)).toMatchObject({
          state: last.status === 410 ? 'answered 410' : 'succeeded',
        })
      } finally {
        await broker.end('SIGTERM')
        rmSync(home, { recursive: true, force: true })
      }
    },
    300_000,
  )
})
