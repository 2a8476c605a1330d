/** Takes over what may change while a broker runs, and names what would need a restart. */
import { deepEqual } from '../kit/json.ts'
import { Secret } from '../kit/secret.ts'
import { namedSettings } from '../settings/names.ts'
import { shown } from '../settings/read.ts'
import { type Settings, settingsTable } from '../settings/settings.ts'

/** What a reload takes over; everything else needs a restart. */
const reloadable: ReadonlySet<string> = new Set([
  'auth.roles',
  'auth.users',
  'catalog',
  'http.tls.certificateFile',
  'http.tls.keyFile',
  'tenants',
  ...namedSettings(settingsTable).flatMap(({ path, node }) =>
    node.kind === 'leaf' && node.reload ? [path] : [],
  ),
])

export interface Difference {
  readonly taken: readonly string[]
  readonly waiting: readonly string[]
}

/** Names of the settings that differ, by whether they are taken over now. */
export function differenceOf(before: Settings, after: Settings): Difference {
  const changed = namedSettings(settingsTable)
    .map(({ path }) => path)
    .filter((path) => !deepEqual(revealed(valueAt(before, path)), revealed(valueAt(after, path))))
  return {
    taken: changed.filter((path) => reloadable.has(path)),
    waiting: changed.filter((path) => !reloadable.has(path)),
  }
}

function valueAt(settings: Settings, path: string): unknown {
  return path.split('.').reduce<unknown>((here, step) => (here as Record<string, unknown>)[step], settings)
}

/** Only compared, never shown: a changed password is a change. */
function revealed(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal()
  if (Array.isArray(value)) return value.map(revealed)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, revealed(each)]))
  }
  return shown(value)
}
