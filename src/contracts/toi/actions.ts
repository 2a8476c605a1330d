/** What a package calls the actions of a life, and which further ones it offers. */
import type { Action } from '../../model/situation.ts'
import { chooseEntry } from './choose.ts'
import type { Executor, Notes } from './notes.ts'
import type { LifeAction, Options } from './options.ts'

const usualNames: Readonly<Record<LifeAction, readonly string[]>> = {
  provision: ['install'],
  // Packages that know no word for it are installed again.
  update: ['update', 'upgrade', 'install'],
  deprovision: ['uninstall'],
  bind: ['bind'],
  unbind: ['unbind'],
}

/** The package's word for an action; undefined where it has none. */
export function wordFor({ kind, ...more }: Action, notes: Notes, options: Options): string | undefined {
  if (kind === 'invoke') return 'name' in more ? more.name : undefined
  const said = options.actions[kind]
  if (said !== undefined) return said
  const named = usualNames[kind].find((word) => notes.executors.some((one) => offersByName(one, word)))
  if (named !== undefined) return named
  // An executor that takes any action takes these; a binding is run only where the package declares one.
  if (kind === 'deprovision') return 'uninstall'
  return kind === 'provision' || kind === 'update' ? 'install' : undefined
}

function offersByName({ actions, offers }: Executor, word: string): boolean {
  return actions?.includes(word) === true || (actions === undefined && offers?.includes(word) === true)
}

/** The executor of an action. */
export function executorFor(notes: Notes, word: string, { executor }: Options): Executor | undefined {
  return chooseEntry(notes.executors, word, executor)
}

/** Actions beyond the life of an instance. */
export function furtherActions(notes: Notes, options: Options): readonly string[] {
  const life = (['provision', 'update', 'deprovision', 'bind', 'unbind'] as const).map((kind) =>
    wordFor({ kind }, notes, options),
  )
  const named = notes.executors.flatMap(({ actions, offers = [] }) => actions ?? offers)
  return [...new Set(named)].filter((word) => !life.includes(word))
}
