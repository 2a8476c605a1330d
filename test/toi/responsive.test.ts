/** A broker that is given a template which only its clock ends: meanwhile it answers everybody else. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { offering, Platform } from '../cnab/platform.ts'
import type { TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { componentIn, componentName, executorRef } from './component.ts'

const missing = ensurePrograms('busybox')
// Ten seconds of hashing, within every limit but that of time, for an order that asks for it.
const hash = '$2a$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW'
const configTemplate = {
  long: false,
  size: `(( long ? length(map[[1..1000]|x|->bcrypt_check("x", "${hash}")]) :1 ))`,
}
let folder: string
let at: TestBroker

beforeAll(async () => {
  if (missing !== undefined) return
  folder = freshFolder('toi-responsive')
  const executors = [{ resourceRef: executorRef, actions: ['install', 'uninstall'] }]
  const ctf = await componentIn(folder, { run: 'true', package: { executors, configTemplate } })
  at = await offering([{ package: `ocm:${ctf}//${componentName}:1.0.0` }])
})
afterAll(async () => {
  await at?.stop()
  if (folder) rmSync(folder, { recursive: true, force: true })
})
beforeEach(({ skip }) => skip(missing !== undefined, missing))

test('catalog and orders of others are answered while a hostile template is evaluated', async () => {
  const platform = new Platform(at)
  let ended = false
  const hostile = platform.provision('hostile', 'default', { long: true }).finally(() => {
    ended = true
  })
  let answered = 0
  do {
    const name = `honest-${answered}`
    const { state } = await platform.end(name, await platform.provision(name, 'default', {}))
    expect(state).toBe('succeeded')
    answered++
  } while (!ended)

  expect(await hostile).toMatchObject({
    status: 400,
    body: { description: expect.stringContaining('limit') },
  })
  // A broker that evaluated it itself would have answered one or two.
  expect(answered).toBeGreaterThan(4)
})
