/** A contract whose work is drawn by chance: instant, short, long, endless, failing, in stages. */
import type { Offer } from '../../src/broker/catalog.ts'
import type { Contract } from '../../src/contracts/contract.ts'
import { Secret } from '../../src/kit/secret.ts'
import type { Job } from '../../src/model/job.ts'
import { usualLimits } from '../../src/model/job.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import { noChoice } from '../../src/model/package.ts'
import type { Action, Situation } from '../../src/model/situation.ts'
import type { Random } from './world.ts'

export const poisonMark = 'poisoned on purpose'

export const secretMark = 'canary-7f3a91c2'

/** What the contract may be asked to do is part of the parameters, so that it stays pure. */
export interface Drawn {
  readonly milliseconds: number
  readonly exit: number
  readonly stages: number
  readonly instant: boolean
  /** Makes the contract throw, again and again. */
  readonly poison: boolean
}

/** How long work takes: quick work ends while somebody else still believes to own it. */
export type Pace = 'calm' | 'quick' | 'any'

export function draw(random: Random, pace: Pace): Drawn {
  const calm = pace === 'calm'
  const most = pace === 'quick' ? 300 : 4000
  return {
    milliseconds:
      !calm && random.chance(0.05)
        ? -1
        : random.between(0, pace === 'any' && random.chance(0.2) ? 30_000 : most),
    exit: random.chance(0.2) ? 1 : 0,
    stages: random.chance(0.15) ? random.between(2, 3) : 1,
    instant: random.chance(0.15),
    poison: !calm && random.chance(0.02),
  }
}

export function makeContract(runsAgain: boolean, inParallel: boolean, unbindsFirst: boolean): Contract {
  return {
    name: 'model',
    recognise: () => 'no',
    read: () => Promise.reject(new TypeError('never read')),
    prepare: (action, situation) => {
      const drawn = drawnFor(action, situation)
      // Admission must pass, or nothing would ever be poisoned.
      if (drawn.poison && situation.operation.id !== 'rehearsal') throw new TypeError(poisonMark)
      if (drawn.instant)
        return { kind: 'nothing-to-run', outcome: outcomeOf(action, situation, drawn.exit === 0) }
      return { kind: 'job', job: jobOf(drawn, 1) }
    },
    conclude: (action, situation, report) => {
      const drawn = drawnFor(action, situation)
      const worked = report.end.kind === 'finished' && report.steps.every((step) => step.exit === 0)
      const stage = situation.operation.stage + 1
      if (worked && stage < drawn.stages) {
        return { kind: 'next', job: jobOf(drawn, stage + 1), carryover: { stage: new Uint8Array([stage]) } }
      }
      return { kind: 'done', outcome: outcomeOf(action, situation, worked) }
    },
    interrupted: () => (runsAgain ? 'run-again' : 'give-up'),
    unbindsFirst,
    bindsInParallel: () => inParallel,
  }
}

function drawnFor(action: Action, situation: Situation): Drawn {
  const drawn = situation.parameters[action.kind]
  return (
    (drawn as unknown as Drawn | undefined) ?? {
      milliseconds: 500,
      exit: 0,
      stages: 1,
      instant: false,
      poison: false,
    }
  )
}

function jobOf(drawn: Drawn, stage: number): Job {
  return {
    program: {
      kind: 'pretend',
      milliseconds: drawn.milliseconds,
      exit: stage < drawn.stages ? 0 : drawn.exit,
    },
    steps: [
      {
        name: 'pretend',
        command: { kind: 'entrypoint', arguments: [] },
        // What a program tells it was given.
        environment: { TOKEN: new Secret(secretMark) },
        streams: { kind: 'merged' },
      },
    ],
    files: [],
    folders: [],
    wants: [],
    needs: { cluster: 'none', network: 'none', readOnlyRoot: true },
    limits: { ...usualLimits, graceSeconds: 3 },
  }
}

function outcomeOf(action: Action, { instance }: Situation, worked: boolean): Outcome {
  if (!worked) return { problems: [{ code: 'operation.failed', detail: `said no to ${secretMark}` }] }
  const credentials = { password: secretMark, instance: instance.id }
  return { problems: [], ...(action.kind === 'bind' ? { binding: { credentials } } : {}) }
}

/** The one plan of the simulation. */
export const offer: Offer = {
  package: {
    contract: 'model',
    name: 'model',
    version: '1.0.0',
    digest: 'sha256:model',
    services: [],
    actions: [],
    papers: {},
    notes: null,
  },
  service: {
    id: 'service',
    name: 'model',
    description: 'model',
    bindable: true,
    tags: [],
    requires: [],
    planUpdatable: true,
    instancesRetrievable: true,
    bindingsRetrievable: true,
    contextUpdates: true,
    plans: [],
  },
  plan: {
    id: 'plan',
    name: 'plan',
    description: 'plan',
    free: true,
    bindingRotatable: true,
    schemas: { create: { properties: { token: { type: 'string', writeOnly: true } } } },
    requiresApp: false,
    mode: { instance: 'async', binding: 'async' },
    operator: noChoice,
  },
}
