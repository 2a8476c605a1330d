/** Why no engine runs a job. */
import type { Problem } from './problem.ts'

/** What is wrong with a host, among the reasons of engines; it can be mended, unlike what an engine is not made for. */
export function faultOfHost(reasons: readonly (Problem | undefined)[]): Problem | undefined {
  return reasons.find((reason) => reason !== undefined && reason.code !== 'engine.refused')
}
