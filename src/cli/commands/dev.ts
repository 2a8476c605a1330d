/** chandler dev: lints and tries a package again whenever one of its files changes. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { sourcesAt } from '../../authoring/sources/kind.ts'
import { startFileWatch } from '../../host/file-watch.ts'
import { systemClock } from '../../kit/clock.ts'
import { present } from '../../kit/present.ts'
import { fail, toProblem } from '../../model/problem.ts'
import { add } from '../command.ts'
import { tell } from '../failure.ts'
import { localDataDir } from '../local.ts'
import { withRegistries } from '../registries-option.ts'
import { say } from '../terminal.ts'
import { lintOnce } from './lint.ts'
import { tryAll } from './test.ts'

interface DevOptions {
  readonly dataDir: string
  readonly only?: string
  readonly run: boolean
}

const lookEveryMs = 300

export function register(program: Command): void {
  const command = add(program, {
    usage: 'dev [folder]',
    summary: 'Lint, build and try a package again whenever one of its files changes',
    description:
      'Lints the sources of a folder and tries its examples; does so again after each change of a file, until Ctrl-C.',
    examples: ['dev', 'dev my-bundle --only "a small one"', 'dev my-bundle --no-run'],
  })
    .option('--only <name>', 'the example of this name')
    .option('--no-run', 'only lint')
    .option('--data-dir <path>', 'where images and keys are kept', localDataDir())
  withRegistries(command).action((folder = '.', options: DevOptions) => develop(folder, options))
}

async function develop(folder: string, options: DevOptions): Promise<void> {
  if (sourcesAt(folder) === undefined)
    fail('usage.invalid', `${folder} holds no sources of a package`, {
      hint: 'Start with one: chandler new tweed|apb|brokerpak|cnab|toi FOLDER',
    })
  const stopped = new Promise<void>((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  const watch = startFileWatch({
    clock: systemClock,
    files: () => filesBelow(folder),
    changed: () => round(folder, options),
    refused: (error) => void tell(toProblem(error), 'text', false),
    everyMs: lookEveryMs,
    since: '',
  })
  await stopped
  await watch.stop()
  process.exitCode = 0
}

/** What is wrong is told, and never ends the watch. */
async function round(folder: string, { dataDir, only, run }: DevOptions): Promise<void> {
  const begun = systemClock.monotonic()
  try {
    if ((await lintOnce(folder, dataDir, 'table')) && run)
      await tryAll(folder, { dataDir, output: 'table', ...present({ only }) })
  } catch (error) {
    tell(toProblem(error), 'text', false)
  }
  const seconds = ((systemClock.monotonic() - begun) / 1000).toFixed(1)
  say(`Done in ${seconds} s. Waiting for a change; Ctrl-C ends.`)
}

const leftOut: ReadonlySet<string> = new Set(['.git', 'node_modules', '.chandler'])

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (leftOut.has(entry.name)) return []
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}
