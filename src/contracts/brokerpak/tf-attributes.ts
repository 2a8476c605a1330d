/** Values of resources that inputs name by `TYPE.NAME.ATTRIBUTE`: from the state. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'

/** The attribute's value in a state document, with its type; undefined where there is none, or null. */
export function stateAttribute(state: JsonObject, path: string): Json | undefined {
  const [type, name, attribute, ...more] = path.split('.')
  if (attribute === undefined || more.length > 0) return undefined
  const resources = Array.isArray(state['resources']) ? state['resources'] : []
  for (const resource of resources) {
    if (!isObject(resource) || resource['mode'] !== 'managed') continue
    if (resource['type'] !== type || resource['name'] !== name) continue
    const [instance] = Array.isArray(resource['instances']) ? (resource['instances'] as readonly Json[]) : []
    const attributes = isObject(instance) ? instance['attributes'] : undefined
    if (!isObject(attributes) || !Object.hasOwn(attributes, attribute)) continue
    const value = (attributes as JsonObject)[attribute]
    if (value !== undefined && value !== null) return value
  }
  return undefined
}
