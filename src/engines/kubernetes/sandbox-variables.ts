/** Where a program in a sandbox finds the API: its variables are its own alone, so what the node tells its container is told on. */
import type { Step } from '../../model/job.ts'
import { exemptFromProxy } from '../api-exempt.ts'
import type { KubernetesContext } from './context.ts'
import { runInside } from './inside.ts'

const names = ['HOST', 'PORT', 'PORT_HTTPS'].map((name) => `KUBERNETES_SERVICE_${name}`)
const hosts = ['', '.default', '.default.svc', '.default.svc.cluster.local'].map((end) => `kubernetes${end}`)

export interface ApiAccess {
  readonly variables: Readonly<Record<string, string>>
  /** The step, told that no proxy leads to the API. */
  within(step: Step): Step
}

/** Asks the container of the program. */
export async function apiVariables(
  context: KubernetesContext,
  pod: string,
  signal: AbortSignal,
): Promise<ApiAccess> {
  const script = names.map((name) => `echo "$${name}"`).join('\n')
  const { stdout } = await runInside(context, { pod, script, signal })
  const values = stdout.toString().split('\n')
  const variables = Object.fromEntries(
    names.flatMap((name, i) => (values[i] === undefined || values[i] === '' ? [] : [[name, values[i]]])),
  )
  const host = variables['KUBERNETES_SERVICE_HOST']
  const exempt = [...hosts, ...(host === undefined ? [] : [host])]
  return {
    variables,
    within: (step) => ({
      ...step,
      environment: { ...step.environment, ...exemptFromProxy(step.environment, exempt) },
    }),
  }
}
