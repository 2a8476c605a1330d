/** The fuzzer's view of HIL. */
import { attacks } from '../hil/attacks.ts'
import { caseOf } from '../hil/expressions.ts'
import { breaches } from '../hil/properties.ts'
import type { Topic } from '../topic.ts'

export const topic: Topic = { examine: (chance) => breaches(caseOf(chance)), attacks }
