/** From the engine that wrote a state to that of the pak, one version after the other. */
import type { Circumstances } from './circumstances.ts'
import { defaultEngine } from './manifest.ts'
import type { State } from './state.ts'
import { compareVersions } from './versions.ts'

/** The version to run next; undefined where the default engine may go on. */
export function nextEngine(
  { notes, options }: Circumstances,
  state: State,
  done?: string,
): string | undefined {
  if (options.engine === 'host' || state.kind !== 'state') return undefined
  const { manifest } = notes
  const target = defaultEngine(manifest)?.version
  if (target === undefined || compareVersions(state.engine, target) >= 0) return undefined
  return manifest.upgradePath.find((version) =>
    done === undefined ? compareVersions(version, state.engine) >= 0 : compareVersions(version, done) > 0,
  )
}

/** Why this state cannot be worked on with the pak's engine. */
export function newerState({ notes, options }: Circumstances, state: State): string | undefined {
  const target = defaultEngine(notes.manifest)
  if (options.engine === 'host' || state.kind !== 'state' || target === undefined) return undefined
  if (compareVersions(state.engine, target.version) <= 0) return undefined
  return `the state was written by ${state.engine}, the pak has ${target.version}`
}
