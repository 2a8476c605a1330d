/** Actions that values say they apply to: of one that the bundle does not have, no value is ever used. */
import { pointer } from '../../kit/json.ts'
import { meantKey } from '../../kit/near-keys.ts'
import type { Faults } from '../faults.ts'
import type { Bundle } from './bundle.ts'

const builtIn = ['install', 'upgrade', 'uninstall']
const kinds = ['parameters', 'credentials', 'outputs'] as const

/** Warns of each name that no action of the bundle has. */
export function judgeAims(bundle: Bundle, faults: Pick<Faults, 'warning'>): void {
  const actions = [...builtIn, ...Object.keys(bundle.actions)]
  for (const kind of kinds) {
    for (const [name, { applyTo = [] }] of Object.entries(bundle[kind])) {
      for (const [i, action] of applyTo.entries()) {
        if (actions.includes(action)) continue
        const meant = meantKey(action, actions)
        const detail = meant === undefined ? '' : `; did you mean "${meant}"?`
        const hint =
          meant === undefined
            ? 'Name an action of the bundle, or add it to "actions".'
            : `Write "${meant}" instead.`
        const at = `${pointer(`/${kind}`, name)}/applyTo/${i}`
        faults.warning(
          'cnab.bundle.questionable',
          at,
          `the bundle has no action ${JSON.stringify(action)}${detail}`,
          hint,
        )
      }
    }
  }
}
