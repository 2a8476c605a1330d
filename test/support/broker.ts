/** A whole broker for tests: in this process, on a free port, with a pretended catalog and a data folder of its own. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Broker, type Surroundings, startBroker } from '../../src/compose.ts'
import { systemClock } from '../../src/kit/clock.ts'
import { type Log, openLog } from '../../src/kit/log.ts'
import { failAll } from '../../src/model/problem.ts'
import { loadSettings } from '../../src/settings/load.ts'
import type { Settings } from '../../src/settings/settings.ts'

export const passwords = {
  admin: 'password-of-admin',
  watcher: 'password-of-watcher',
  platform: 'password-of-platform',
  other: 'password-of-other',
} as const
export type User = keyof typeof passwords

export interface TestBroker {
  readonly broker: Broker
  readonly url: string
  readonly adminUrl: string
  readonly folder: string
  readonly logLines: readonly string[]
  /** Changes its file and has it read again. */
  reload(edit?: (text: string) => string): ReturnType<Broker['reload']>
  stop(): Promise<void>
}

/** Settings of a broker that pretends; lines are added to its file. */
export function configuration(more = ''): string {
  const user = (name: User, role: string) =>
    `    - {name: ${name}, password: ${passwords[name]}, role: ${role}}`
  return `http: {listen: '127.0.0.1:0', adminListen: '127.0.0.1:0'}
dataDir: ./data
auth:
  users:
${user('admin', 'operator')}
${user('watcher', 'viewer')}
${user('platform', 'platform')}
${user('other', 'platform')}
shutdown: {drainDelay: 0s, drain: 2s}
catalog:
  - package: sim:alpha-db
    service: {name: alpha-db, description: A pretended database.}
    plans:
      - name: small
        from: default
        description: A small one.
        schemas:
          create:
            $schema: http://json-schema.org/draft-04/schema#
            type: object
            properties:
              size: {type: integer, minimum: 1}
              secret: {type: string, writeOnly: true}
              sim: {type: object}
            additionalProperties: false
      - {name: large, from: default, description: A large one., limit: 2}
  - package: sim:beta-queue
    service: {name: beta-queue, description: A pretended queue., bindable: false}
    plans:
      - {name: plain, from: default, description: The only one.}
${more}`
}

/** Makes these entries the whole catalog of a configuration. */
export function catalogOf(entries: readonly object[]): (text: string) => string {
  return (text) => text.replace(/^catalog:[\s\S]*/m, () => `catalog: ${JSON.stringify(entries)}\n`)
}

/** Starts one; stop it when done. */
export async function startTestBroker(
  more = '',
  folder = newFolder(),
  edit: (text: string) => string = (text) => text,
  around: Pick<Surroundings, 'uiFolder' | 'documentsFolder' | 'environment'> = {},
): Promise<TestBroker> {
  const file = join(folder, 'chandler.yml')
  writeFileSync(file, edit(configuration(more)))
  const read = (): Settings => {
    const loaded = loadSettings({ environment: {}, folder, file })
    if (loaded.kind === 'faults') failAll(loaded.problems)
    return loaded.settings
  }
  const logLines: string[] = []
  const broker = await startBroker(read(), {
    ...{ ...around, version: '0.0.0-test' },
    log: collectingLog(logLines),
  })
  return {
    broker,
    url: broker.url,
    adminUrl: broker.adminUrl ?? '',
    folder,
    logLines,
    reload: async (change = (text) => text) => {
      writeFileSync(file, change(readFileSync(file, 'utf8')))
      return await broker.reload(read())
    },
    stop: async () => {
      await broker.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'chandler-test-'))
}

function collectingLog(lines: string[]): Log {
  return openLog({
    level: 'debug',
    format: 'json',
    clock: systemClock,
    always: {},
    secrets: () => Object.values(passwords),
    sink: (line) => void lines.push(line),
  })
}

export function basic(user: User): string {
  return `Basic ${Buffer.from(`${user}:${passwords[user]}`).toString('base64')}`
}
