/** chandler serve: runs a broker until it is told to stop. */
import type { Command } from 'commander'
import { present } from '../../kit/present.ts'
import { toProblem } from '../../model/problem.ts'
import type { ProblemCode } from '../../model/problem-codes.ts'
import { add } from '../command.ts'
import { tell } from '../failure.ts'
import { loadedOf, type SettingsOptions, settingsOf, withSettings } from '../settings-options.ts'
import { version } from '../version.ts'

interface ServeOptions extends SettingsOptions {
  readonly listen?: string
  readonly dataDir?: string
  readonly takeOver?: boolean
}

export function register(program: Command): void {
  const command = add(program, {
    usage: 'serve',
    summary: 'Start a broker',
    description:
      'Starts the Open Service Broker API, the operator API, health and metrics. SIGTERM and Ctrl-C drain it, a second Ctrl-C ends it at once, SIGHUP reads the configuration again, SIGUSR2 logs what is going on, SIGQUIT logs it and aborts. Exit codes are those that supervisors know: 64 wrong usage, 69 store not reached, 70 internal fault, 73 a file cannot be written, 74 the database file is damaged, 75 another process has the database file, 78 configuration, catalog or keys.',
    examples: [
      'serve --config chandler.yml',
      'serve --config chandler.yml --listen 0.0.0.0:8080',
      'serve --config chandler.yml --set logs.level=debug',
    ],
  })
    .option('--listen <host:port>', 'same as --set http.listen=…')
    .option('--data-dir <path>', 'same as --set dataDir=…')
    .option('--take-over', 'fence out every other process on this store, whether it still lives or not')
  withSettings(command).action(async (options: ServeOptions, self: Command) => {
    const given = {
      ...options,
      set: {
        ...options.set,
        ...present({ 'http.listen': options.listen, dataDir: options.dataDir }),
      },
    }
    try {
      const loaded = settingsOf(given)
      const { serve } = await import('../serving.ts')
      const around = { version: version(), takeOver: options.takeOver ?? false }
      await serve(loaded, around, () => loadedOf(given))
    } catch (error) {
      const problem = toProblem(error)
      // The next start may go well, so that an unexpected fault is told whole the first time.
      const isDebug = self.optsWithGlobals()['debug'] === true
      tell(problem, 'text', isDebug || problem.code === 'internal.unexpected')
      // What was opened before the fault must not keep the process.
      process.exit(exits[problem.code] ?? 70)
    }
  })
}

/** Exit codes of servers, as supervisors know them. */
const exits: Partial<Record<ProblemCode, number>> = {
  'settings.invalid': 78,
  'catalog.refused': 78,
  'engine.unconfigured': 78,
  'file.unreadable': 78,
  'key.missing': 78,
  'key.wrong': 78,
  'key.exposed': 78,
  'store.newer': 78,
  'store.locked': 75,
  'store.unavailable': 69,
  'store.corrupt': 74,
  'file.unwritable': 73,
  'usage.invalid': 64,
}
