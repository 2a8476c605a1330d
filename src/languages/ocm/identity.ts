/** What tells the elements of a component version apart, and how one is found among them. */
import type { Element, Identity } from './descriptor.ts'

/**
 * The identity of an element in its list: the name and the extra identity, and the version for the second and
 * later ones that would be the same without.
 */
export function identityOf(list: readonly Element[], element: Element): Identity {
  const plain = plainIdentity(element)
  const first = list.find((one) => sameIdentity(plainIdentity(one), plain))
  return first === element || first === undefined ? plain : { ...plain, version: element.version }
}

/** The element whose identity is exactly this one, if there is one. */
export function findElement<Kind extends Element>(
  list: readonly Kind[],
  identity: Identity,
): Kind | undefined {
  const first = list.find((element) => sameIdentity(plainIdentity(element), identity))
  const { version, ...rest } = identity
  if (first !== undefined || version === undefined) return first
  const twins = list.filter((element) => sameIdentity(plainIdentity(element), rest))
  return twins.slice(1).find((element) => element.version === version)
}

/** Whether every attribute of a pattern fits an element: its name and version by these, all others by its extra identity. */
export function fitsPattern({ name, version, extraIdentity }: Element, pattern: Identity): boolean {
  return Object.entries(pattern).every(([key, value]) => {
    if (key === 'name') return value === name
    if (key === 'version') return value === version
    return Object.hasOwn(extraIdentity, key) && extraIdentity[key] === value
  })
}

/** Whether two identities are the same, whatever the order of their keys. */
export function sameIdentity(a: Identity, b: Identity): boolean {
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  )
}

/** `"name"="text","version"="1"`, for people. */
export function identityText(identity: Identity): string {
  return Object.entries(identity)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${JSON.stringify(key)}=${JSON.stringify(value)}`)
    .join(',')
}

/** One text per name and extra identity, to count and compare many. */
export function identityKey({ name, extraIdentity }: Element): string {
  return JSON.stringify([name, Object.entries(extraIdentity).toSorted(([a], [b]) => (a < b ? -1 : 1))])
}

function plainIdentity({ name, extraIdentity }: Element): Identity {
  return { ...extraIdentity, name }
}
