/** What to do about a resource or a reference that is not there, or is not what it should be. */
import { pointer } from '../../kit/json.ts'
import { nearest } from '../../kit/text.ts'
import type { ComponentArtifact, ComponentResource } from '../../model/artifact.ts'
import type { Identity, ResourceReference } from './format.ts'

export interface FoundResource {
  readonly resource: ComponentResource
  readonly component: ComponentArtifact
}

type Around = Pick<ComponentArtifact, 'resources' | 'references'>

/** The near name if there is one, else all there are. */
export function writeInstead(word: string, names: readonly string[], what: string): string {
  const meant = nearest(word, names)
  if (meant !== undefined) return `Write "${meant}" instead.`
  return names.length === 0
    ? `Add ${what}; there is none.`
    : `Write ${what}: ${[...new Set(names)].join(', ')}.`
}

/** How a resource is named that is not there as it was named. */
export function missingHint(wanted: Identity, { resources, references }: Around): string {
  const name = wanted['name'] ?? ''
  const namesake = resources.find((one) => one.name === name)
  if (namesake !== undefined)
    return `Name it by its whole identity and no more: {${yamlOf(namesake.identity)}}`
  const meant = nearest(
    name,
    resources.map((one) => one.name),
  )
  if (meant !== undefined) return `Write "${meant}" instead.`
  const own = resources.length === 0 ? 'there is none' : resources.map((one) => one.name).join(', ')
  const others = references.map(({ name: step = '' }) => `{name: ${step}}`).join(' or ')
  const way =
    others === '' ? '' : ` What lies in a component that is referenced needs referencePath: [${others}].`
  return `Name a resource of this component (${own}), or add one.${way}`
}

/** Where the name of a resource stands. */
export function nameAt({ at }: ResourceReference): string {
  return pointer(pointer(at, 'resource'), 'name')
}

/** The attribute of an identity that no resource of the name has, else its name. */
export function oddPart(reference: ResourceReference, { resources }: Around): string {
  const { resource, at } = reference
  const namesakes = resources.filter((one) => one.name === resource['name'])
  const odd = Object.keys(resource).find(
    (key) => namesakes.length > 0 && namesakes.every(({ identity }) => identity[key] !== resource[key]),
  )
  return odd === undefined ? nameAt(reference) : pointer(pointer(at, 'resource'), odd)
}

/** What to do about a resource of a type that is of no use here. */
export function typeHint({ resource, component }: FoundResource, wanted: readonly string[]): string {
  const meant = nearest(resource.type, wanted)
  if (meant !== undefined) return `Give the resource the type "${meant}".`
  const names = component.resources.filter(({ type }) => wanted.includes(type)).map(({ name }) => name)
  const types = wanted.join(' or ')
  return names.length === 0
    ? `Give the resource the type ${types}, or name one that has it: the component has none.`
    : `Name a resource of type ${types}: ${[...new Set(names)].map((name) => `"${name}"`).join(', ')}.`
}

/** An identity in a message. */
export function textOfIdentity(identity: Identity): string {
  return Object.entries(identity)
    .map(([key, value]) => `${key}=${value}`)
    .join(',')
}

function yamlOf(identity: Identity): string {
  return Object.entries(identity)
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ')
}

/** Whether two identities are the same: an attribute more or less makes another one. */
export function sameIdentity(a: Identity, b: Identity): boolean {
  const keys = Object.keys(a)
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  )
}
