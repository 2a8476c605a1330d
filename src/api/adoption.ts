/** An instance that another broker made, as it is handed over to this one. */
import { Type } from 'typebox'
import { Free, type Of } from './words.ts'

const Memory = Type.Record(Type.String(), Type.String(), {
  description: 'What its contract must find at the next action, by name, in base64.',
})

export const AdoptedInstance = Type.Object(
  {
    service: Type.String({ description: 'The id of its service in the catalog.' }),
    plan: Type.String({ description: 'The id or the name of its plan.' }),
    state: Type.Union([Type.Literal('ready'), Type.Literal('failed')]),
    parameters: Free,
    context: Free,
    dashboardUrl: Type.Optional(Type.String()),
    memory: Memory,
    bindings: Type.Array(
      Type.Object({
        binding: Type.String(),
        parameters: Free,
        credentials: Type.Optional(Free),
        memory: Memory,
      }),
    ),
  },
  { title: 'AdoptedInstance', additionalProperties: false },
)
export type AdoptedInstance = Of<typeof AdoptedInstance>
