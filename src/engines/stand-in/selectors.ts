/** Selectors of lists and watches: by labels and by name. */
import { isObject, type JsonObject } from '../../kit/json.ts'

/** Whether an object fits both selectors of a query. */
export function selects(query: URLSearchParams, object: JsonObject): boolean {
  const metadata = member(object, 'metadata')
  const labels = new Map(Object.entries(member(metadata, 'labels')))
  const requirements = split(query.get('labelSelector') ?? '')
  const fields = split(query.get('fieldSelector') ?? '')
  return requirements.every((text) => fits(text, labels)) && fields.every((text) => fitsField(text, metadata))
}

/** At commas that are not within parentheses. */
function split(selector: string): readonly string[] {
  return selector.split(/,(?![^(]*\))/).flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))
}

function fits(requirement: string, labels: ReadonlyMap<string, unknown>): boolean {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(requirement)
  if (set) {
    const [, key = '', operator, list = ''] = set
    const values = list.split(',').map((word) => word.trim())
    const isIn = labels.has(key) && values.includes(String(labels.get(key)))
    return operator === 'in' ? isIn : !isIn
  }
  const equal = /^([^!=\s]+)\s*(!=|==|=)\s*(.*)$/.exec(requirement)
  if (equal) {
    const [, key = '', operator, value] = equal
    return (labels.get(key) === value) === (operator !== '!=')
  }
  return requirement.startsWith('!') ? !labels.has(requirement.slice(1)) : labels.has(requirement)
}

function fitsField(requirement: string, metadata: JsonObject): boolean {
  const [, key, operator, value] = /^([^!=]+)(!=|==|=)(.*)$/.exec(requirement) ?? []
  const own = key === 'metadata.name' || key === 'metadata.namespace' ? metadata[key.slice(9)] : undefined
  return own === undefined || (own === value) === (operator !== '!=')
}

function member(object: JsonObject, name: string): JsonObject {
  const value = object[name]
  return isObject(value) ? (value as JsonObject) : {}
}
