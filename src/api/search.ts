/** What a search by the beginning of an id or a name finds. */
import { Type } from 'typebox'
import { Binding } from './binding.ts'
import { Instance } from './instance.ts'
import { Operation } from './operation.ts'
import type { Of } from './words.ts'

export const SearchQuery = Type.Object({
  text: Type.String({ minLength: 1, maxLength: 255, description: 'How an id or a name begins.' }),
})

export const Found = Type.Object(
  {
    services: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), description: Type.String() })),
    instances: Type.Array(Instance),
    bindings: Type.Array(Binding),
    operations: Type.Array(Operation, { description: 'Of an operation the whole id is needed.' }),
  },
  { title: 'Found', description: 'A few of each kind.' },
)
export type Found = Of<typeof Found>
