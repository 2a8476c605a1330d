/** Looks into an answer by paths such as `body.operation`, `headers.etag` and `body.services[].plans[].id`. */
import { isObject } from '../../kit/json.ts'
import type { BrokerAnswer } from '../broker-connection.ts'

/** The value at a path, undefined where there is none; with `[]` the list of all values there are. */
export function lookUp(answer: BrokerAnswer, path: string): unknown {
  const [first = '', ...rest] = path.split('.')
  if (first === 'headers') return answer.headers[rest.join('.').toLowerCase()]
  if (first === 'status') return answer.status
  const found = collect(answer.body, first === 'body' ? rest : [first, ...rest])
  return path.includes('[]') ? found : found[0]
}

function collect(value: unknown, steps: readonly string[]): readonly unknown[] {
  const [step, ...rest] = steps
  if (step === undefined) return value === undefined ? [] : [value]
  const name = step.replace(/\[\]$/, '')
  const next = isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
  if (name === step) return collect(next, rest)
  return Array.isArray(next) ? next.flatMap((item) => collect(item, rest)) : []
}
