/** Bundles that need one another, for tests of chains. */
import type { Lookup } from '../../src/contracts/contract.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { document } from './stage.ts'

/** A bundle that says in an output what it is, asks for a count, and takes what its dependencies wrote. */
export function member(name: string, needs: readonly string[] = [], version = '1.0.0'): JsonObject {
  return {
    name,
    version,
    definitions: { text: { type: 'string' }, count: { type: 'integer', default: 1, maximum: 9 } },
    parameters: {
      count: { definition: 'count', destination: { env: 'COUNT' } },
      ...Object.fromEntries(
        needs.map((need) => [
          need,
          { definition: 'text', required: true, destination: { env: need.toUpperCase() } },
        ]),
      ),
    },
    outputs: {
      name: { definition: 'text', path: '/cnab/app/outputs/name', applyTo: ['install', 'upgrade'] },
    },
    requiredExtensions: ['io.cnab.dependencies', 'io.cnab.parameter-sources'],
    custom: {
      'io.cnab.dependencies': {
        requires: Object.fromEntries(needs.map((need) => [need, { bundle: `x.example/${need}:1` }])),
      },
      'io.cnab.parameter-sources': Object.fromEntries(
        needs.map((need) => [
          need,
          {
            priority: ['dependencies.output'],
            sources: { 'dependencies.output': { dependency: need, name: 'name' } },
          },
        ]),
      ),
    },
  }
}

/** Every bundle by the name under which another needs it. */
export function lookupOf(members: Readonly<Record<string, JsonObject>>): Lookup {
  return {
    open: (reference) => {
      const [, name = ''] = /\/([a-z]+):/.exec(reference) ?? []
      const found = members[name]
      return found ? Promise.resolve(document(found, reference)) : Promise.reject(new Error(reference))
    },
    tags: () => Promise.resolve([]),
  }
}
