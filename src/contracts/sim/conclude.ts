/** What a pretended run means: credentials drawn from chance, and the memory that a delete has failed once. */
import type { Outcome, Output } from '../../model/outcome.ts'
import type { Report } from '../../model/report.ts'
import type { Action, Situation } from '../../model/situation.ts'
import type { Conclusion } from '../contract.ts'
import { dashboardOf } from './dashboard.ts'

export function concludeSim(action: Action, situation: Situation, report: Report): Conclusion {
  const worked = report.end.kind === 'finished' && report.steps.every((step) => step.exit === 0)
  return { kind: 'done', outcome: outcomeOf(action, situation, worked) }
}

/** The outcome of an action that worked or failed. */
export function outcomeOf(action: Action, situation: Situation, worked: boolean): Outcome {
  if (!worked) return failed(action)
  const { kind } = action
  return {
    problems: [],
    message: `The pretended ${kind === 'invoke' ? action.name : kind} succeeded.`,
    ...(kind === 'bind' ? { binding: { credentials: credentials(situation) } } : {}),
    ...(kind === 'provision' ? { dashboardUrl: dashboardOf(situation) } : {}),
    ...(kind === 'invoke' ? { outputs: [echo(situation)] } : {}),
  }
}

function echo({ parameters }: Situation): Output {
  return {
    name: 'parameters.json',
    content: Buffer.from(JSON.stringify(parameters)),
    mediaType: 'application/json',
    secret: false,
  }
}

function failed(action: Action): Outcome {
  const memory = { 'delete-failed': new Uint8Array([1]) }
  return {
    problems: [{ code: 'operation.failed', detail: `the pretended ${action.kind} was told to fail` }],
    usable: true,
    repeatable: true,
    ...(action.kind === 'deprovision' ? { carryover: memory } : {}),
    ...(action.kind === 'unbind' ? { bindingCarryover: memory } : {}),
  }
}

function credentials(situation: Situation): { readonly [key: string]: string } {
  const username = `u${hex(situation.random(6))}`
  const password = hex(situation.random(16))
  return {
    username,
    password,
    uri: `sim://${username}:${password}@sim.example/${encodeURIComponent(situation.instance.id)}`,
  }
}

function hex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
