/** Where is looked for secrets that should not be seen: the one table of it. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import type { Piece } from './processes.ts'
import { filesBelow, type Stage } from './stage.ts'
import type { Lives } from './story.ts'

export const places = [
  'what the broker writes to standard output and error',
  'answers to the platform',
  'answers to the viewer',
  'answers to the operator',
  'logs of operations, as a viewer reads them',
  'live logs, as a viewer follows them',
  'metrics and health',
  'the audit trail and its file',
  'command lines and variables of processes',
  'the data folder with store, images and what is left of runs',
  'temporary files',
  'files that others may read while a program runs',
  'backups',
  'what doctor, config show and a snapshot of the process tell',
  'support bundles of the broker and of the machine',
] as const
export type Place = (typeof places)[number]

export type Places = Readonly<Record<Place, readonly Piece[]>>

/** Collects all of it from a broker that has led its lives. */
export async function collect(stage: Stage, lives: Lives): Promise<Places> {
  const { answers, broker, folder } = stage
  const figures = await Promise.all(
    ['/metrics', '/readyz?verbose', '/livez'].map(async (path) => ({
      name: path,
      bytes: Buffer.from(await (await fetch(`${broker.adminUrl}${path}`)).arrayBuffer()),
    })),
  )
  const told = supportOf(stage)
  const bundles = await bundlesOf(stage)
  process.kill(broker.pid, 'SIGUSR2')
  while (!broker.said().includes('diagnostics.snapshot')) await pause(50)
  const files = filesBelow(stage.dataDir)
  const of = (part: string) => answers.filter(({ name }) => name.includes(part))
  return {
    'what the broker writes to standard output and error': [
      { name: 'output', bytes: Buffer.from(broker.said()) },
    ],
    'answers to the platform': of(' of platform'),
    'answers to the viewer': of(' of watcher'),
    'answers to the operator': of(' of admin'),
    'logs of operations, as a viewer reads them': of('/log of watcher'),
    'live logs, as a viewer follows them': lives.followed,
    'metrics and health': figures,
    'the audit trail and its file': [
      ...of('/audit of admin'),
      ...files.filter(({ name }) => name.endsWith('audit.jsonl')),
    ],
    'command lines and variables of processes': [...stage.processes.values()],
    'the data folder with store, images and what is left of runs': files,
    'temporary files': filesBelow(join(folder, 'tmp')),
    'files that others may read while a program runs': lives.openFiles,
    backups: files.filter(({ name }) => /backup|chandler-[^/]*\.db$/.test(name)),
    'what doctor, config show and a snapshot of the process tell': told,
    'support bundles of the broker and of the machine': bundles,
  }
}

/** Both with the log of the latest operation that has ended. */
async function bundlesOf(stage: Stage): Promise<readonly Piece[]> {
  const { items } = await stage.document('admin', '/api/v1/operations?limit=1&state=ended')
  const [latest] = items as unknown as readonly { readonly id: string }[]
  const path = `/api/v1/support-bundle?operation=${latest?.id}&sinceSeconds=86400`
  const ofBroker = await stage.ask('admin', 'GET', path)
  const file = join(stage.folder, 'bundle.tar.gz')
  const words = ['support-bundle', '--local', '--config', stage.file, '--file', file]
  const { status, stderr } = spawnSync(process.execPath, ['bin/chandler.mjs', ...words], {
    env: { ...process.env, ...stage.environment },
  })
  if (status !== 0) throw new Error(stderr.toString())
  return [
    { name: 'bundle of the broker', bytes: gunzipSync(ofBroker.bytes) },
    { name: 'bundle of the machine', bytes: gunzipSync(readFileSync(file)) },
  ]
}

function supportOf({ file, environment }: Stage): readonly Piece[] {
  return [['doctor'], ['config', 'show'], ['config', 'show', '-o', 'json'], ['config', 'validate']].map(
    (words) => {
      const { stdout, stderr } = spawnSync(
        process.execPath,
        ['bin/chandler.mjs', ...words, '--config', file],
        { env: { ...process.env, ...environment } },
      )
      return { name: words.join(' '), bytes: Buffer.concat([stdout, stderr]) }
    },
  )
}
