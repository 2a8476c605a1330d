/** The fuzzer's view of spiff. */
import { attacks } from '../spiff/attacks.ts'
import { caseOf } from '../spiff/documents.ts'
import { breaches } from '../spiff/properties.ts'
import type { Topic } from '../topic.ts'

export const topic: Topic = { examine: (chance) => breaches(chance, caseOf(chance)), attacks }
