/** Forms that begin alike in one compressed tree: following a text through it costs the same however many there are. */
import type { Form } from './redact-forms.ts'

/** A stretch that forms have in common; its bytes are read from one of them. */
interface Node {
  form: Form
  /** How deep the stretch ends; it begins where that of its parent ends. Infinity until the end of its form has been seen. */
  end: number
  /** A form is complete at the end of the stretch. */
  isComplete: boolean
  next: Map<number, Node> | undefined
}

export interface Tree {
  readonly root: Node
}

/** So many bytes of a longer form are as secret as all of it, so that the log need not wait for its end. */
export const partBytes = 32
/** From here on a line break inside a form is passed over, with the indentation that follows. */
const wrapDepth = 8
const breakMax = 32
const nativeFrom = 64

/** Joins the forms into a tree. */
export function growTree(forms: Iterable<Form>): Tree {
  const root: Node = {
    form: { length: 0, at: () => -1, run: () => new Uint8Array() },
    end: 0,
    isComplete: false,
    next: undefined,
  }
  for (const form of forms) insert(root, form)
  return { root }
}

function insert(root: Node, form: Form): void {
  let parent = root
  for (;;) {
    const byte = form.at(parent.end)
    if (byte < 0) {
      parent.isComplete = true
      return
    }
    const child = parent.next?.get(byte)
    if (child === undefined) {
      parent.next ??= new Map()
      parent.next.set(byte, { form, end: form.length, isComplete: true, next: undefined })
      return
    }
    const shared = sharedUntil(child, form, parent.end)
    if (shared < child.end) split(child, shared)
    parent = child
  }
}

function sharedUntil(child: Node, form: Form, from: number): number {
  const { form: known } = child
  let at = from
  while (at < endOf(child, at)) {
    const most = Math.min(child.end, form.length) - at
    const many = most < nativeFrom ? 0 : equalRun(known.run(at), form.run(at), most)
    if (many === 0 && known.at(at) !== form.at(at)) return at
    at += Math.max(1, many)
  }
  return at
}

/** Where the stretch ends, as far as that can be known at this depth. */
function endOf(node: Node, depth: number): number {
  if (node.end === Number.POSITIVE_INFINITY && node.form.at(depth) < 0) node.end = depth
  return node.end
}

/** The upper part stays where it is, the lower part becomes its only child. */
function split(node: Node, at: number): void {
  const { form, end, isComplete, next } = node
  node.next = new Map([[form.at(at), { form, end, isComplete, next }]])
  node.end = at
  node.isComplete = false
}

/** A text on its way through the tree. */
export interface Walk {
  node: Node
  depth: number
  /** Bytes of the text since the walk began. */
  seen: number
  /** How many of them are secret, whatever follows. */
  sure: number
  /** Of a line break that was passed over. */
  breaks: number
}

export function beginWalk({ root }: Tree): Walk {
  return { node: root, depth: 0, seen: 0, sure: 0, breaks: 0 }
}

/** Follows the text; answers the index of the first byte that does not go on, or its length where it might still. */
export function follow(walk: Walk, text: Uint8Array, from: number): number {
  let at = from
  while (at < text.length) {
    const { node, depth } = walk
    const isInside = depth < endOf(node, depth)
    if (isInside && node.end - depth >= nativeFrom && text.length - at >= nativeFrom) {
      const many = equalRun(node.form.run(depth), text.subarray(at), node.end - depth)
      if (many > 0) {
        step(walk, many)
        at += many
        continue
      }
    }
    const byte = text[at] ?? -1
    const goesOn = isInside ? node.form.at(depth) === byte : enter(walk, byte)
    if (goesOn) step(walk, 1)
    else if (!passesBreak(walk, byte)) return at
    at++
    if (isAtEnd(walk)) return at
  }
  return at
}

/** Steps into the stretch that begins with a byte, if there is one. */
function enter(walk: Walk, byte: number): boolean {
  const child = walk.node.next?.get(byte)
  walk.node = child ?? walk.node
  return child !== undefined
}

/** Whether all of a form was found, and no other goes on from there. */
export function isAtEnd({ node, depth }: Walk): boolean {
  return node.next === undefined && depth === endOf(node, depth)
}

function step(walk: Walk, count: number): void {
  walk.depth += count
  walk.seen += count
  walk.breaks = 0
  if (walk.depth >= partBytes || (walk.node.isComplete && walk.depth === endOf(walk.node, walk.depth)))
    walk.sure = walk.seen
}

/** Programs wrap what is long: a line break that no form has here is no end. */
function passesBreak(walk: Walk, byte: number): boolean {
  const { depth, node, breaks } = walk
  if (depth < wrapDepth || breaks >= breakMax || (node.isComplete && depth === endOf(node, depth)))
    return false
  const isBreak = byte === 0x0a || byte === 0x0d
  const isIndent = breaks > 0 && (byte === 0x20 || byte === 0x09)
  if (!isBreak && !isIndent) return false
  walk.breaks++
  walk.seen++
  return true
}

/** So many bytes tell that a text goes on with a form which it had left; fewer than the least say nothing. */
const [restBytes, restLeast] = [12, 4]
const restsMax = 8

/** With what bytes a form goes on that a text has left: empty where it was just begun, or where little of it is left. */
export function restsOf({ node, depth }: Walk): readonly Uint8Array[] {
  if (depth < partBytes) return []
  const isInside = depth < endOf(node, depth)
  const forms = isInside ? [node.form] : [...(node.next?.values() ?? [])].map(({ form }) => form)
  return forms
    .slice(0, restsMax)
    .map((form) => bytesOf(form, depth))
    .filter(({ length }) => length >= restLeast)
}

function bytesOf(form: Form, from: number): Uint8Array {
  const bytes: number[] = []
  for (let byte = form.at(from); byte >= 0 && bytes.length < restBytes; byte = form.at(from + bytes.length))
    bytes.push(byte)
  return Uint8Array.from(bytes)
}

/** Goes on where a walk has ended. */
export function walkOn({ node, depth }: Walk): Walk {
  return { node, depth, seen: 0, sure: 0, breaks: 0 }
}

/** How many bytes are equal as far as both are at hand, in one native comparison; zero when they are not. */
function equalRun(one: Uint8Array, other: Uint8Array, most: number): number {
  const many = Math.min(one.length, other.length, most)
  return Buffer.compare(one.subarray(0, many), other.subarray(0, many)) === 0 ? many : 0
}
