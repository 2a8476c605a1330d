/** Selectors of lists and watches: by labels and by name. Bundles write them, so reading and asking take time by their length alone. */
import { isObject, type JsonObject } from '../../kit/json.ts'

/** Whether an object is meant. */
export type Selector = (object: JsonObject) => boolean

type Requirement = (values: JsonObject) => boolean

/** More than any client writes: each is asked of every object. */
const requirementsMax = 100

/** Both selectors of a query, read once for all objects; undefined where they say too much. */
export function selectorOf(query: URLSearchParams): Selector | undefined {
  const labels = split(query.get('labelSelector') ?? '')
  const fields = split(query.get('fieldSelector') ?? '')
  if (labels.length + fields.length > requirementsMax) return undefined
  const ofLabels = labels.map(labelRequirement)
  const ofFields = fields.map(fieldRequirement)
  return (object) => {
    const metadata = member(object, 'metadata')
    const own = member(metadata, 'labels')
    return ofLabels.every((fits) => fits(own)) && ofFields.every((fits) => fits(metadata))
  }
}

/** At commas that are not within parentheses. */
function split(selector: string): readonly string[] {
  const parts: string[] = []
  let open = false
  let from = 0
  for (let i = 0; i <= selector.length; i++) {
    const sign = selector[i]
    if (sign === '(') open = true
    else if (sign === ')') open = false
    if (i < selector.length && (sign !== ',' || open)) continue
    const part = selector.slice(from, i).trim()
    if (part !== '') parts.push(part)
    from = i + 1
  }
  return parts
}

function labelRequirement(text: string): Requirement {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(text)
  if (set) {
    const [, key = '', operator, list = ''] = set
    const values = new Set(list.split(',').map((word) => word.trim()))
    const isIn: Requirement = (labels) => Object.hasOwn(labels, key) && values.has(String(labels[key]))
    return operator === 'in' ? isIn : (labels) => !isIn(labels)
  }
  const equal = /^([^!=\s]+)\s*(!=|==|=)\s*(.*)$/.exec(text)
  if (equal) {
    const [, key = '', operator, value] = equal
    const isEqual: Requirement = (labels) => Object.hasOwn(labels, key) && labels[key] === value
    return operator === '!=' ? (labels) => !isEqual(labels) : isEqual
  }
  if (!text.startsWith('!')) return (labels) => Object.hasOwn(labels, text)
  const key = text.slice(1)
  return (labels) => !Object.hasOwn(labels, key)
}

function fieldRequirement(text: string): Requirement {
  const [, key, operator, value] = /^([^!=]+)(!=|==|=)(.*)$/.exec(text) ?? []
  if (key !== 'metadata.name' && key !== 'metadata.namespace') return () => true
  const name = key.slice('metadata.'.length)
  return (metadata) => metadata[name] === undefined || (metadata[name] === value) === (operator !== '!=')
}

function member(object: JsonObject, name: string): JsonObject {
  const value = object[name]
  return isObject(value) ? (value as JsonObject) : {}
}
