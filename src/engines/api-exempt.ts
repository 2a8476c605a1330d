/** The Kubernetes API is never behind a proxy. */
import type { Step } from '../model/job.ts'

/** Where a program is told of a proxy, these names and addresses are exempt from it. */
export function exemptFromProxy(
  environment: Step['environment'],
  names: readonly string[],
): Readonly<Record<string, string>> {
  const told = ['NO_PROXY', 'no_proxy'].filter((name) => environment[name] !== undefined)
  return Object.fromEntries(
    told.map((name) => [name, [environment[name], ...names].filter((one) => one !== '').join(',')]),
  )
}
