/** Bindings from `key.sub=value` arguments; a dot in a key is written `\.`, a backslash `\\`. */

/** A definition that cannot be read. */
export class DefineFault {
  readonly message: string
  constructor(message: string) {
    this.message = message
  }
}

interface Tree {
  [key: string]: string | Tree
}

/** The bindings that a list of definitions makes; throws DefineFault. */
export function defines(list: readonly string[]): Readonly<Record<string, unknown>> {
  const bindings: Tree = {}
  for (const item of list) {
    const cut = item.indexOf('=')
    if (cut < 1) throw new DefineFault(`error in value definitions (-D): invalid definition "${item}"`)
    put(bindings, pathOf(item.slice(0, cut)), item.slice(cut + 1))
  }
  return bindings
}

function pathOf(text: string): readonly string[] {
  const path: string[] = []
  let part = ''
  for (let at = 0; at <= text.length; at++) {
    const sign = text[at]
    if (sign === '\\' && (text[at + 1] === '.' || text[at + 1] === '\\')) {
      part += text[at + 1]
      at++
    } else if (sign === undefined || sign === '.') {
      if (part === '')
        throw new DefineFault(`error in value definitions (-D): empty path component in "${text}"`)
      path.push(part)
      part = ''
    } else part += sign
  }
  return path
}

function put(bindings: Tree, path: readonly string[], value: string): void {
  let at = bindings
  for (const part of path.slice(0, -1)) {
    const next = Object.hasOwn(at, part) ? at[part] : undefined
    if (typeof next === 'string') throw conflict(path)
    const tree: Tree = next ?? {}
    at[part] = tree
    at = tree
  }
  const last = path.at(-1) ?? ''
  if (Object.hasOwn(at, last) && typeof at[last] === 'object') throw conflict(path)
  at[last] = value
}

function conflict(path: readonly string[]): DefineFault {
  const [name = ''] = path
  return new DefineFault(
    `error in value definitions (-D): "${path.join('.')}" makes "${name}" both a value and a map`,
  )
}
