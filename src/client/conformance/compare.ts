/** Judges one answer by the `want` of a step: faults fail the case, an answer that is merely not preferred warns. */
import { deepEqual, isObject, type Json } from '../../kit/json.ts'
import { repeated } from '../../kit/repeated.ts'
import { shorten } from '../../kit/text.ts'
import type { BrokerAnswer } from '../broker-connection.ts'
import { lookUp } from './answer-path.ts'
import type { SchemaWants, StatusForm, Want, WantAll } from './case.ts'
import { type Mismatch, match } from './match.ts'
import { fill, type Variables } from './variables.ts'

export interface Judgement {
  readonly faults: readonly string[]
  readonly warnings: readonly string[]
}

/** What is wrong with an answer. */
export function judge(answer: BrokerAnswer, want: Want, variables: Variables): Judgement {
  if (want.status !== undefined && !isAllowed(answer.status, want.status)) {
    const wanted = `expected status ${sayStatus(want.status)}, got ${answer.status}`
    return { faults: [`${wanted} with ${shorten(answer.text, 300)}`], warnings: [] }
  }
  const { prefer } = want
  const warnings =
    prefer !== undefined && prefer !== answer.status
      ? [`answers ${answer.status}, which is allowed; ${prefer} is the better answer`]
      : []
  // Where an error is preferred and the broker did the thing, the wanted body describes the error.
  const otherWay = prefer !== undefined && prefer >= 400 && answer.status < 400
  const faults = [
    ...(want.headers === undefined ? [] : headerFaults(answer, fill(want.headers, variables))),
    ...(want.body === undefined || otherWay ? [] : bodyFaults(answer, fill(want.body, variables))),
    ...(want.exact === undefined || deepEqual(answer.body, fill(want.exact, variables))
      ? []
      : [`expected exactly ${JSON.stringify(want.exact)}, got ${shorten(answer.text, 300)}`]),
    ...(want.empty && answer.text !== '' ? [`expected no body, got ${shorten(answer.text, 100)}`] : []),
    ...(want.text_not ?? [])
      .filter((text) => answer.text.includes(String(fill(text, variables))))
      .map((text) => `the answer contains ${JSON.stringify(text)}`),
    ...(want.unique ?? []).flatMap((path) => uniqueFaults(answer, path)),
    ...Object.entries(want.equals ?? {})
      .filter(([path, value]) => !deepEqual(lookUp(answer, path), fill(value, variables)))
      .map(([path]) => `${path} is not what it was`),
    ...Object.entries(want.differs ?? {})
      .filter(([path, value]) => deepEqual(lookUp(answer, path), fill(value, variables)))
      .map(([path]) => `${path} is the same as before`),
    ...(want.schemas === undefined ? [] : schemaFaults(answer.body, want.schemas)),
  ]
  return { faults, warnings }
}

/** What is wrong with the answers to requests that were sent at once. */
export function judgeAll(answers: readonly BrokerAnswer[], want: WantAll): readonly string[] {
  const statuses = answers.map(({ status }) => status)
  const all = statuses.join(', ')
  const counted = (form: StatusForm): number => statuses.filter((status) => isAllowed(status, form)).length
  const faults: string[] = []
  if (want.status !== undefined && counted(want.status) < answers.length) {
    faults.push(`expected only status ${sayStatus(want.status)}, got ${all}`)
  }
  if (want.at_least && counted(want.at_least.status) < want.at_least.count) {
    faults.push(
      `expected ${sayStatus(want.at_least.status)} at least ${want.at_least.count} times, got ${all}`,
    )
  }
  if (want.at_most && counted(want.at_most.status) > want.at_most.count) {
    faults.push(`expected ${sayStatus(want.at_most.status)} at most ${want.at_most.count} times, got ${all}`)
  }
  const { same } = want
  if (same !== undefined) {
    const values = answers.map((answer) => lookUp(answer, same)).filter((value) => value !== undefined)
    if (values.some((value) => !deepEqual(value, values[0]))) {
      faults.push(`${same} is not the same in all answers: ${JSON.stringify(values)}`)
    }
  }
  return faults
}

function isAllowed(status: number, form: StatusForm): boolean {
  if (typeof form === 'number') return status === form
  if ('$range' in form) return status >= form.$range[0] && status <= form.$range[1]
  return form.includes(status)
}

function sayStatus(form: StatusForm): string {
  if (typeof form === 'number') return String(form)
  return '$range' in form ? form.$range.join(' to ') : form.join(' or ')
}

function headerFaults(answer: BrokerAnswer, wanted: Json): readonly string[] {
  if (!isObject(wanted)) return []
  return Object.entries(wanted).flatMap(([name, value]) =>
    match(value as Json, answer.headers[name.toLowerCase()]).map(
      ({ message }) => `header ${name}: ${message}`,
    ),
  )
}

function bodyFaults(answer: BrokerAnswer, wanted: Json): readonly string[] {
  if (answer.body === undefined) return [`expected a JSON body, got ${shorten(answer.text, 100) || 'none'}`]
  return match(wanted, answer.body).map(({ pointer, message }: Mismatch) => `body${pointer}: ${message}`)
}

function uniqueFaults(answer: BrokerAnswer, path: string): readonly string[] {
  const found = lookUp(answer, path)
  const texts = (Array.isArray(found) ? found : [found]).map((value) => JSON.stringify(value))
  return repeated(texts).map((text) => `${path}: ${text} occurs more than once`)
}

function schemaFaults(catalog: unknown, want: SchemaWants): readonly string[] {
  return schemasIn(catalog).flatMap(({ name, schema }) => [
    ...(want.have_dollar_schema && !(isObject(schema) && typeof schema['$schema'] === 'string')
      ? [`${name} has no $schema`]
      : []),
    ...(want.no_external_refs ? externalReferences(schema).map((to) => `${name} refers to ${to}`) : []),
    ...(want.max_bytes !== undefined && Buffer.byteLength(JSON.stringify(schema)) > want.max_bytes
      ? [`${name} is larger than ${want.max_bytes} bytes`]
      : []),
  ])
}

const schemaPlaces = [
  ['service_instance', 'create'],
  ['service_instance', 'update'],
  ['service_binding', 'create'],
] as const

function schemasIn(catalog: unknown): readonly { readonly name: string; readonly schema: unknown }[] {
  return members(catalog, 'services').flatMap((service) =>
    members(service, 'plans').flatMap((plan) =>
      schemaPlaces.flatMap(([what, when]) => {
        const schema = member(member(member(member(plan, 'schemas'), what), when), 'parameters')
        const name = `the ${what}.${when} schema of plan ${String(member(plan, 'name'))}`
        return schema === undefined ? [] : [{ name, schema }]
      }),
    ),
  )
}

function externalReferences(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(externalReferences)
  if (!isObject(schema)) return []
  return Object.entries(schema).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' && !value.startsWith('#')
      ? [value]
      : externalReferences(value),
  )
}

function member(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined
}

function members(value: unknown, name: string): readonly unknown[] {
  const list = member(value, name)
  return Array.isArray(list) ? list : []
}
