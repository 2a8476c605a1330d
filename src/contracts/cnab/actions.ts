/** The actions of a bundle: the three it always has, those it declares, and what each of them does to an installation. */
import type { Bundle } from './bundle.ts'

export interface BundleAction {
  readonly name: string
  readonly title?: string
  readonly description?: string
  /** Whether it may change something: it gets a revision of its own. */
  readonly modifies: boolean
  /** Whether it needs neither an installation nor credentials, and leaves no record. */
  readonly stateless: boolean
}

const builtIn = ['install', 'upgrade', 'uninstall']

/** The action of that name, if the bundle has it. */
export function actionOf(bundle: Bundle, name: string): BundleAction | undefined {
  if (builtIn.includes(name)) return { name, modifies: true, stateless: false }
  const declared = Object.hasOwn(bundle.actions, name) ? bundle.actions[name] : undefined
  return declared && { name, ...declared }
}

/** All of them; the declared ones in the order of their names. */
export function actionsOf(bundle: Bundle): readonly BundleAction[] {
  return [...builtIn, ...Object.keys(bundle.actions).sort()].flatMap((name) => actionOf(bundle, name) ?? [])
}

/** What is to be remembered of a run: a new revision, and whether it has to be kept at all. */
export interface RunRecording {
  readonly newRevision: boolean
  readonly kept: 'always' | 'optional' | 'never'
}

/** How a run of an action is recorded; an action that the bundle no longer declares may have changed anything. */
export function recordOf(action: BundleAction | undefined): RunRecording {
  const { modifies = true, stateless = false } = action ?? {}
  if (stateless) return { newRevision: false, kept: 'never' }
  return modifies ? { newRevision: true, kept: 'always' } : { newRevision: false, kept: 'optional' }
}
