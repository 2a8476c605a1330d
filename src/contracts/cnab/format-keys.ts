/** Keys that an author must have meant otherwise: what is not known is allowed, what is nearly known is told. */
import { pointer } from '../../kit/json.ts'
import { type NearKey, nearKeys } from '../../kit/near-keys.ts'
import { innerSchemas } from '../../kit/schema-inner.ts'
import { nearKeywords } from '../../kit/schema-words.ts'
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
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Warns of keys of one object that are nearly those of its kind. */
export function warnOfKeys(node: Node, kind: keyof typeof known): void {
  warnOf(nearKeys(node.value, known[kind]), node)
}

function warnOf(near: readonly NearKey[], { at, faults }: Node): void {
  for (const { key, meant } of near) {
    const detail = `is not known; did you mean "${meant}"?`
    faults.warning('cnab.bundle.questionable', pointer(at, key), detail, `Write "${meant}" instead.`)
  }
}

/** The same for a JSON Schema and those in it. */
export function warnOfKeywords(node: Node): void {
  warnOf(nearKeywords(node.value), node)
  for (const [at, value] of innerSchemas(node.value, node.at)) warnOfKeywords({ ...node, value, at })
}
