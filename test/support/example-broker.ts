/** A broker with the configuration of `npm start`, laid out as scripts/start.ts does it, in a folder of the test's own. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBroker } from '../../src/compose.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { openLog } from '../../src/kit/log.ts'
import { loadSettings } from '../../src/settings/load.ts'
import { type Answer, callOsb } from '../tweed/osb.ts'

export interface ExampleBroker {
  readonly url: string
  /** Of the accounts `platform` and `admin`. */
  readonly password: string
  /** The file that holds the operator's. */
  readonly passwordFile: string
  /** Asks it as the platform. */
  osb(method: 'GET' | 'PUT' | 'DELETE', path: string, body?: object): Promise<Answer>
  /** Waits until what is under way has ended; answers how. */
  ended(path: string): Promise<unknown>
  stop(): Promise<void>
}

/** Starts it once the packages are made that the test is about. */
export async function startExampleBroker(make: (folder: string) => Promise<void>): Promise<ExampleBroker> {
  const password = 'of-the-example'
  const folder = mkdtempSync(join(tmpdir(), 'chandler-example-'))
  const secrets = join(folder, '.chandler/secrets')
  mkdirSync(secrets, { recursive: true, mode: 0o700 })
  for (const user of ['platform', 'admin'])
    writeFileSync(join(secrets, user), `${password}\n`, { mode: 0o600 })
  mkdirSync(join(folder, 'examples'))
  const file = join(folder, 'examples/chandler.yml')
  cpSync('examples/chandler.yml', file)
  await make(folder)
  const environment = {
    CHANDLER_HTTP_LISTEN: '127.0.0.1:0',
    CHANDLER_HTTP_ADMIN_LISTEN: 'off',
    CHANDLER_ENGINE: 'embedded',
  }
  const loaded = loadSettings({ environment, folder, file })
  if (loaded.kind === 'faults') throw new Error(JSON.stringify(loaded.problems))
  const log = openLog({
    level: 'error',
    format: 'json',
    clock: systemClock,
    always: {},
    secrets: () => [],
    sink: () => undefined,
  })
  const broker = await startBroker(loaded.settings, { log, version: '0.0.0-test' })
  const osb: ExampleBroker['osb'] = (method, path, body) => {
    const text = body === undefined ? undefined : JSON.stringify(body)
    return callOsb({ url: broker.url, user: 'platform', password }, method, `/v2${path}`, text)
  }
  return {
    url: broker.url,
    password,
    passwordFile: join(secrets, 'admin'),
    osb,
    async ended(path) {
      for (;;) {
        const { status, body } = await osb('GET', `${path}/last_operation`)
        if (status === 410) return 'gone'
        const { state } = body as { readonly state: string }
        if (state !== 'in progress') return state
        await systemClock.sleep(20)
      }
    },
    async stop() {
      await broker.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
