/** Keys that an author must have meant otherwise: what is not known is allowed, what is nearly known is told. */
import { isObject, type JsonObject, pointer } from '../../kit/json.ts'
import { nearKeys, schemaKeywords } from '../../kit/near-keys.ts'
import type { Node } from './fields.ts'

const destination = ['env', 'path']
const common = ['description', 'applyTo']
const known = {
  parameter: ['definition', 'destination', 'required', ...common],
  destination,
  credential: [...destination, 'required', ...common],
  output: ['definition', 'path', ...common],
  image: ['image', 'imageType', 'contentDigest', 'digest', 'size', 'mediaType', 'labels', 'description'],
  action: ['modifies', 'stateless', 'title', 'description'],
  maintainer: ['name', 'email', 'url'],
  definition: schemaKeywords,
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Warns of keys of one object that are nearly those of its kind. */
export function warnOfKeys({ value, at, faults }: Node, kind: keyof typeof known): void {
  for (const { key, meant } of nearKeys(value, known[kind])) {
    const detail = `is not known; did you mean "${meant}"?`
    faults.warning('cnab.bundle.questionable', pointer(at, key), detail, `Write "${meant}" instead.`)
  }
}

/** The same for a JSON Schema and those of its properties. */
export function warnOfKeywords(node: Node): void {
  warnOfKeys(node, 'definition')
  const { properties } = node.value
  if (!isObject(properties)) return
  for (const [name, inner] of Object.entries(properties))
    if (isObject(inner)) {
      const at = pointer(pointer(node.at, 'properties'), name)
      warnOfKeywords({ ...node, value: inner as JsonObject, at })
    }
}
