/** How settings are called: paths in files, variables in the environment. */
import type { Group, Members, Node } from './kinds.ts'

/** A setting that can be given on its own: a value, or a whole list. */
export interface Named {
  /** `http.adminListen` */
  readonly path: string
  readonly node: Exclude<Node, Group<Members>>
}

/** All settings of a table in its order. */
export function namedSettings(table: Group<Members>, prefix = ''): readonly Named[] {
  return Object.entries(table.members).flatMap(([name, node]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    return node.kind === 'group' ? namedSettings(node, path) : [{ path, node }]
  })
}

/** `http.adminListen` becomes `CHANDLER_HTTP_ADMIN_LISTEN`. */
export function variableOf(path: string): string {
  return `CHANDLER_${snake(path).replaceAll('.', '_').toUpperCase()}`
}

/** `adminListen` becomes `admin_listen`. */
export function snake(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** `admin_listen` becomes `adminListen`; a key may be written either way. */
export function camel(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
