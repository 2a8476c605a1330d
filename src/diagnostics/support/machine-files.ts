/** What a support bundle tells of process, machine and settings. */
import { arch, availableParallelism, freemem, platform, release, totalmem, uptime } from 'node:os'
import { isObject, type Json } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { describePlace } from '../../model/problem.ts'
import { type Entry, shown } from '../../settings/read.ts'
import { documentFile, type SupportFile } from './file.ts'

/** Versions, machine and memory. */
export function aboutFile(version: string): SupportFile {
  const { rss, heapUsed, heapTotal, external } = process.memoryUsage()
  return documentFile('about.json', 'versions, machine, memory of the process that made this', {
    version,
    node: process.version,
    machine: {
      ...{ platform: platform(), kernel: release(), arch: arch(), processors: availableParallelism() },
      ...{ memoryBytes: totalmem(), freeBytes: freemem(), upSeconds: Math.round(uptime()) },
    },
    process: {
      ...{ root: process.getuid?.() === 0, upSeconds: Math.round(process.uptime()) },
      ...{ rss, heapUsed, heapTotal, external },
    },
  })
}

/** Every setting with its origin. Secrets are stars, and of values for packages only the names are told. */
export function settingsFile(entries: readonly Entry[]): SupportFile {
  const settings = entries.map(({ path, value, origin, place }) => ({
    ...{ path, value: withoutInputs(shown(value)), origin },
    ...present({ place: place && describePlace(place) }),
  }))
  return documentFile('settings.json', 'settings in effect and where each comes from; secrets as stars', {
    settings,
  })
}

const ofPackages: ReadonlySet<string> = new Set(['inputs', 'defaults'])

function withoutInputs(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutInputs)
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, item]): [string, Json] => [
    name,
    ofPackages.has(name) && isObject(item) ? Object.keys(item) : withoutInputs(item as Json),
  ])
  return Object.fromEntries(members)
}
