/** What the API refuses of an object, and how it stores what clients may write in two ways. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { type Answer, refusal } from './status.ts'

/** Why a name is none, as Kubernetes says it. */
export function faultOfName(name: Json | undefined): Answer | undefined {
  if (name === undefined || name === null || name === '') {
    return refusal('Invalid', 'metadata.name: Required value: name or generateName is required')
  }
  const isName =
    typeof name === 'string' && name.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)
  return isName
    ? undefined
    : refusal(
        'Invalid',
        `metadata.name: Invalid value: ${JSON.stringify(name)}: a lowercase RFC 1123 subdomain`,
      )
}

/** Why the content of an object is refused. Keys of data become names of files. */
export function faultOfObject(resource: string, object: JsonObject): Answer | undefined {
  for (const text of ['annotations', 'labels']) {
    const notes = isObject(object['metadata']) ? (object['metadata'] as JsonObject)[text] : undefined
    const fault = faultOfTexts(`metadata.${text}`, notes)
    if (fault !== undefined) return fault
  }
  if (resource === 'configmaps')
    return faultOfTexts('data', object['data']) ?? faultOfKeys('data', object['data'])
  if (resource !== 'secrets') return undefined
  return (
    faultOfTexts('stringData', object['stringData']) ??
    faultOfBase64(object['data']) ??
    faultOfKeys('stringData', object['stringData']) ??
    faultOfKeys('data', object['data'])
  )
}

function faultOfKeys(field: string, value: Json | undefined): Answer | undefined {
  const bad = Object.keys(isObject(value) ? value : {}).find((key) => !isKey(key))
  if (bad === undefined) return undefined
  const shown = JSON.stringify(bad.slice(0, 253))
  return refusal(
    'Invalid',
    `${field}[${shown}]: Invalid value: ${shown}: a valid config key must consist of alphanumeric characters, '-', '_' or '.'`,
  )
}

function isKey(key: string): boolean {
  return key.length <= 253 && /^[-._a-zA-Z0-9]+$/.test(key) && key !== '.' && !key.startsWith('..')
}

function faultOfTexts(field: string, value: Json | undefined): Answer | undefined {
  if (value === undefined || value === null) return undefined
  const isMap = isObject(value) && Object.values(value).every((item) => typeof item === 'string')
  return isMap ? undefined : refusal('BadRequest', `${field} must be a map of texts`)
}

function faultOfBase64(data: Json | undefined): Answer | undefined {
  const fault = faultOfTexts('data', data)
  if (fault !== undefined || !isObject(data)) return fault
  const bad = Object.entries(data).find(
    ([, text]) => !/^[A-Za-z0-9+/]*={0,2}$/.test(String(text).replace(/\s/g, '')),
  )
  return bad && refusal('BadRequest', `data.${bad[0]} is not base64`)
}

/** Texts of a secret become its data. */
export function normalised(resource: string, object: JsonObject): JsonObject {
  const { stringData, ...rest } = object
  if (resource !== 'secrets') return object
  const encoded = Object.entries(isObject(stringData) ? stringData : {}).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString('base64'),
  ])
  const data = isObject(rest['data']) ? (rest['data'] as JsonObject) : {}
  return { type: 'Opaque', ...rest, data: { ...data, ...Object.fromEntries(encoded) } }
}
