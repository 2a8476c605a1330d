/** The version of this program, from its package.json. */
import { readFileSync } from 'node:fs'
import { isObject } from '../kit/json.ts'

/** Found beside the sources and beside the bundle alike. */
export function version(): string {
  for (const place of ['../../package.json', '../package.json']) {
    try {
      const document: unknown = JSON.parse(readFileSync(new URL(place, import.meta.url), 'utf8'))
      if (isObject(document) && typeof document['version'] === 'string') return document['version']
    } catch {
      // The other place, then.
    }
  }
  return 'unknown'
}
