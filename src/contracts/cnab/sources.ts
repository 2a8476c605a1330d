/** Parameters that take their values from outputs of earlier runs, of the bundle itself or of what it depends on. */
import { isObject } from '../../kit/json.ts'
import type { Bundle } from './bundle.ts'
import { extensionNames, extensionOf } from './extensions.ts'

/** An output, of the installation itself or of a dependency of it. */
export interface OutputSource {
  readonly dependency?: string
  readonly output: string
}

/** Where the value of a parameter may come from; the first that is there counts. */
export function sourcesOf(bundle: Bundle, parameter: string): readonly OutputSource[] {
  const all = extensionOf(bundle, extensionNames.sources)
  const own = isObject(all) && Object.hasOwn(all, parameter) ? all[parameter] : undefined
  if (!isObject(own) || !isObject(own['sources'])) return []
  const sources = own['sources']
  const named = Array.isArray(own['priority']) ? own['priority'] : []
  const order = [...named, ...Object.keys(sources).filter((kind) => !named.includes(kind))]
  return order.flatMap((kind): readonly OutputSource[] => {
    const source = typeof kind === 'string' && Object.hasOwn(sources, kind) ? sources[kind] : undefined
    if (!isObject(source) || typeof source['name'] !== 'string') return []
    const { name: output, dependency } = source
    if (kind === 'output') return [{ output }]
    return kind === 'dependencies.output' && typeof dependency === 'string' ? [{ dependency, output }] : []
  })
}

/** The bytes that a parameter takes, from the outputs that are there. */
export function sourcedValue(
  bundle: Bundle,
  parameter: string,
  find: (source: OutputSource) => Uint8Array | undefined,
): Uint8Array | undefined {
  for (const source of sourcesOf(bundle, parameter)) {
    const bytes = find(source)
    if (bytes) return bytes
  }
  return undefined
}
