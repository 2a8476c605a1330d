/** The examples of a pak: what to order, and whether what came of it is what was promised. */
import type { JsonObject } from '../../kit/json.ts'
import type { Definition } from './definition.ts'
import { parameterFaults } from './variables.ts'

export interface PakExample {
  readonly name: string
  readonly service: string
  readonly planId: string
  readonly provision: JsonObject
  readonly bind: JsonObject
  readonly bindMayFail: boolean
}

export function examplesOf(definitions: readonly Definition[]): readonly PakExample[] {
  return definitions.flatMap(({ name: service, examples }) =>
    examples.map((example) => ({
      name: example.name,
      service,
      planId: example.planId,
      provision: example.provisionParams,
      bind: example.bindParams,
      bindMayFail: example.bindCanFail,
    })),
  )
}

/** What credentials lack of the outputs that a definition declares for a bind. */
export function credentialFaults(
  definitions: readonly Definition[],
  { service }: PakExample,
  credentials: JsonObject,
): readonly string[] {
  const outputs = definitions.find(({ name }) => name === service)?.bind.outputs ?? []
  return parameterFaults(outputs, credentials, 'ours')
}
