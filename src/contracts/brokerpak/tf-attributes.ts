/** Values of resources that inputs name by `TYPE.NAME.ATTRIBUTE`: from the state, or from the text of a show. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { readHcl } from './hcl.ts'

/** The attribute's text in the output of `show`, as the original reads it; undefined where there is none. */
export function showAttribute(show: string, path: string): string | undefined {
  const [type, name, attribute, ...more] = path.split('.')
  if (attribute === undefined || more.length > 0) return undefined
  const reading = readHcl(show)
  if (reading.kind === 'fault') return undefined
  const found = reading.body.blocks
    .filter((block) => block.type === 'resource' && block.labels[0] === type && block.labels[1] === name)
    .flatMap(({ body }) => body.arguments)
    .find((one) => one.name === attribute)
  if (found === undefined) return undefined
  const text = show.slice(found.start, found.end)
  return text.startsWith('"') ? unquoted(text) : text
}

/** The attribute's value in a state document, with its type. */
export function stateAttribute(state: JsonObject, path: string): Json | undefined {
  const [type, name, ...steps] = path.split('.')
  const resources = Array.isArray(state['resources']) ? state['resources'] : []
  for (const resource of resources) {
    if (!isObject(resource) || resource['mode'] !== 'managed') continue
    if (resource['type'] !== type || resource['name'] !== name) continue
    const [instance] = Array.isArray(resource['instances']) ? (resource['instances'] as readonly Json[]) : []
    const value = isObject(instance) ? within(instance['attributes'] as Json | undefined, steps) : undefined
    if (value !== undefined && value !== null) return value
  }
  return undefined
}

function within(value: Json | undefined, steps: readonly string[]): Json | undefined {
  let here = value
  for (const step of steps) {
    if (!isObject(here) || !Object.hasOwn(here, step)) return undefined
    here = (here as JsonObject)[step]
  }
  return here
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    return text.slice(1, -1)
  }
}
