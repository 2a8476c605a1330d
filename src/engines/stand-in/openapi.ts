/**
 * The documents by which `kubectl` and `oc` learn, before they create or apply, whether the API checks the fields of objects itself.
 * With these they leave the checking to it; without, they refuse to send anything.
 */
import type { JsonObject } from '../../kit/json.ts'
import { type Resource, resources } from './resources.ts'
import type { Answer } from './status.ts'

/** What clients of the years before 2018 call it; they take nothing but the binary form. */
const ofOld = '/swagger-2.0.0.pb-v1'

/** The answer, where the path is one of these documents. */
export function openApi(path: string, accept: string): Answer | undefined {
  switch (path) {
    case '/openapi/v3':
      return { code: 200, body: { paths: { 'api/v1': { serverRelativeURL: '/openapi/v3/api/v1' } } } }
    case '/openapi/v3/api/v1':
      return { code: 200, body: { openapi: '3.0.0', info, paths: pathsOf('schema') } }
    case '/openapi/v2':
      return accept.includes('protobuf')
        ? { code: 200, body: binary }
        : { code: 200, body: { swagger: '2.0', info, paths: pathsOf('type') } }
    case ofOld:
      return { code: 200, body: binary }
    default:
      return undefined
  }
}

const info = { title: 'Stand-in of the Kubernetes API', version: 'v1' }

/** Clients look at the patch of a kind alone: whether it takes the parameter. */
function pathsOf(typed: 'schema' | 'type'): JsonObject {
  const query = { name: 'fieldValidation', in: 'query' }
  const parameter =
    typed === 'schema' ? { ...query, schema: { type: 'string' } } : { ...query, type: 'string' }
  return Object.fromEntries(
    Object.entries(resources).map(([name, { kind, namespaced }]) => [
      `/api/v1/${namespaced ? 'namespaces/{namespace}/' : ''}${name}/{name}`,
      {
        patch: {
          parameters: [parameter],
          responses: { '200': { description: 'OK' } },
          'x-kubernetes-group-version-kind': { group: '', version: 'v1', kind },
        },
      },
    ]),
  )
}

/** A field of a message of Protocol Buffers: a text, or a message of fields. */
function field(number: number, content: string | readonly Uint8Array[]): Uint8Array {
  const bytes = typeof content === 'string' ? Buffer.from(content) : Buffer.concat(content)
  return Buffer.concat([lengthOf(number * 8 + 2), lengthOf(bytes.length), bytes])
}

/** Seven bits to a byte, the lowest first. */
function lengthOf(value: number): Uint8Array {
  return value < 128
    ? Uint8Array.of(value)
    : Buffer.concat([Uint8Array.of((value % 128) + 128), lengthOf(Math.floor(value / 128))])
}

/** The second version as Go's clients read it: the numbers are those of its published message `Document`. */
const binary: Uint8Array = Buffer.concat([
  field(1, '2.0'),
  field(2, [field(1, info.title), field(2, info.version)]),
  field(8, Object.entries(resources).map(binaryPath)),
])

/** Without the parameter: of clients that read this form those that know it check by the definitions, of which there are none. */
function binaryPath([name, { kind, namespaced }]: readonly [string, Resource]): Uint8Array {
  const path = `/api/v1/${namespaced ? 'namespaces/{namespace}/' : ''}${name}/{name}`
  const meaning = field(2, [field(2, `group: ""\nkind: ${kind}\nversion: v1\n`)])
  const operation = [field(13, [field(1, 'x-kubernetes-group-version-kind'), meaning])]
  return field(2, [field(1, path), field(2, [field(8, operation)])])
}
