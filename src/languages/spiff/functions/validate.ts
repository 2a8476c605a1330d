/** `validate` and `check`: conditions by name, with arguments, or by lambda. */
import { type Call, isLambda, type SpiffFunction } from '../env.ts'
import { Failure, failure } from '../issue.ts'
import { callLambda, describe } from '../lambda.ts'
import { isTrue, type Lambda, List, typeName, type Value } from '../value.ts'
import { validators } from './validators.ts'

export const validateFunctions: readonly (readonly [string, SpiffFunction])[] = [
  ['validate', validate],
  ['check', check],
]

function validate(call: Call): Value {
  const [value = null, ...conditions] = call.args
  if (conditions.length === 0) return failure('at least two arguments required for validate')
  conditions.forEach((condition, i) => {
    const verdict = judged(call, value, condition, i)
    if (!verdict.ok) failure(`condition ${i + 1} failed: ${verdict.message}`)
  })
  return value
}

function check(call: Call): Value {
  const [value = null, ...conditions] = call.args
  if (conditions.length === 0) return failure('at least two arguments required for check')
  return conditions.every((condition, i) => judged(call, value, condition, i).ok)
}

interface Verdict {
  readonly ok: boolean
  /** Why it holds, or why not; a negation shows the one for the opposite. */
  readonly message: string
}

/** Misuse of a condition is a problem, not a result. */
function judged(call: Call, value: Value, condition: Value, index: number): Verdict {
  try {
    return judge(call, value, condition)
  } catch (error) {
    if (error instanceof Failure) return failure(`condition ${index + 1} has problem: ${error.issue.text}`)
    throw error
  }
}

/** Judges a value by one condition. */
function judge(call: Call, value: Value, condition: Value): Verdict {
  if (condition === null) return { ok: true, message: 'no condition' }
  if (typeof condition === 'string') return byName(call, value, condition, [])
  if (isLambda(condition)) return byLambda(call, condition, [value])
  if (!(condition instanceof List)) return failure(`invalid validation check type: ${typeName(condition)}`)
  const [head, ...args] = condition.cells.map((cell) => cell.value)
  if (head === undefined) return failure('validation type missing')
  if (isLambda(head)) return byLambda(call, head, [value, ...args])
  return typeof head === 'string'
    ? byName(call, value, head, args)
    : failure(`invalid validation check type: ${typeName(head)}`)
}

function byName(call: Call, value: Value, name: string, args: readonly Value[]): Verdict {
  if (name === '') return failure('empty validator type')
  if (name.startsWith('!') && name.length > 1) {
    const verdict = byName(call, value, name.slice(1), args)
    return { ok: !verdict.ok, message: verdict.message }
  }
  const validator = validators[name]
  if (validator === undefined) return failure(`unknown validation operator "${name}"`)
  return validator({ call, value, args, judge: (one, condition) => judge(call, one, condition) })
}

function byLambda(call: Call, lambda: Lambda, args: readonly Value[]): Verdict {
  if (lambda.params.length !== args.length)
    return failure(
      `argument count mismatch for lambda ${describe(lambda, call.env.run)}: expected ${lambda.params.length}, found ${args.length}`,
    )
  const result = callLambda(lambda, args, call.env)
  const shown = describe(lambda, call.env.run)
  if (!(result instanceof List))
    return { ok: isTrue(result), message: isTrue(result) ? `${shown} succeeded` : `${shown} failed` }
  const [ok = null, good, bad] = result.cells.map((cell) => cell.value)
  if (result.cells.length < 1 || result.cells.length > 3)
    return failure(`invalid result length of validator ${shown}, got ${result.cells.length}`)
  const texts = [good, bad].map((message, i) => {
    if (message === undefined || typeof message === 'string') return message
    return failure(
      `lambda validator result index ${i + 2}: lambda validator requires string, but got ${typeName(message)}`,
    )
  })
  const holds = isTrue(ok)
  const [first = holds ? `${shown} succeeded` : `${shown} failed`, second = first] = texts
  return { ok: holds, message: holds ? first : second }
}
