/** May it start? One pure table per verb: the state of the target and the request give the verdict. */
import { never } from '../kit/assert.ts'
import type { BindingState, InstanceState } from '../model/instance.ts'

export type Verdict =
  | 'start'
  /** What is asked for is there already. */
  | 'exists'
  /** The same work is under way: answer with its operation. */
  | 'same-operation'
  | 'conflict'
  | 'busy'
  | 'unknown'
  /** Start after stopping the creation that is under way. */
  | 'cancel-and-start'
  /** Start after clearing away what a failed attempt left. */
  | 'clear-and-start'
  | 'failed'

/** PUT of an instance. */
export function admitProvision(state: InstanceState | undefined, same: boolean): Verdict {
  switch (state) {
    case undefined:
    case 'gone':
      return 'start'
    case 'failed':
      return 'clear-and-start'
    case 'provisioning':
      return same ? 'same-operation' : 'conflict'
    case 'ready':
      return same ? 'exists' : 'conflict'
    case 'updating':
      return same ? 'busy' : 'conflict'
    case 'deprovisioning':
      return 'busy'
    default:
      return never(state)
  }
}

/** PATCH of an instance; `same` as the update under way. */
export function admitUpdate(state: InstanceState | undefined, same: boolean): Verdict {
  switch (state) {
    case undefined:
    case 'gone':
    case 'failed':
      return 'unknown'
    case 'ready':
      return 'start'
    case 'updating':
      return same ? 'same-operation' : 'busy'
    case 'provisioning':
    case 'deprovisioning':
      return 'busy'
    default:
      return never(state)
  }
}

/** DELETE of an instance. */
export function admitDeprovision(state: InstanceState | undefined): Verdict {
  switch (state) {
    case undefined:
    case 'gone':
      return 'unknown'
    case 'provisioning':
      return 'cancel-and-start'
    case 'updating':
      return 'busy'
    case 'deprovisioning':
      return 'same-operation'
    case 'ready':
    case 'failed':
      return 'start'
    default:
      return never(state)
  }
}

/** PUT of a binding, as far as the binding itself goes. */
export function admitBind(state: BindingState | undefined, same: boolean): Verdict {
  switch (state) {
    case undefined:
    case 'gone':
      return 'start'
    case 'failed':
      return 'clear-and-start'
    case 'binding':
      return same ? 'same-operation' : 'conflict'
    case 'bound':
      return same ? 'exists' : 'conflict'
    case 'unbinding':
      return 'busy'
    default:
      return never(state)
  }
}

/** PUT of a binding, as far as its instance goes. */
export function admitBindTo(state: InstanceState | undefined): Verdict {
  switch (state) {
    case undefined:
    case 'gone':
      return 'unknown'
    case 'failed':
      return 'failed'
    case 'ready':
      return 'start'
    case 'provisioning':
    case 'updating':
    case 'deprovisioning':
      return 'busy'
    default:
      return never(state)
  }
}

/** DELETE of a binding. */
export function admitUnbind(state: BindingState | undefined): Verdict {
  switch (state) {
    case undefined:
    case 'gone':
      return 'unknown'
    case 'binding':
      return 'cancel-and-start'
    case 'unbinding':
      return 'same-operation'
    case 'bound':
    case 'failed':
      return 'start'
    default:
      return never(state)
  }
}
