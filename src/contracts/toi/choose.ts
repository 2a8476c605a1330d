/** Which package of a component, and which of its executors. */
import type { ComponentResource } from '../../model/artifact.ts'
import type { Identity } from './format.ts'

/** The type of resources that are packages, of those that are executors, and of images. */
export const resourceTypes = {
  package: 'toiPackage',
  executor: 'toiExecutor',
  image: 'ociImage',
  yaml: 'yaml',
} as const

/** `name` and `key=value` arguments as one pattern; a text says what is wrong with them. */
export function patternOf(args: readonly string[]): Identity | string {
  const pattern: Record<string, string> = {}
  for (const [i, word] of args.entries()) {
    const at = word.indexOf('=')
    if (at < 0 && i > 0) return 'only one identity pattern possible (sole name in between)'
    if (at === 0) return `extra identity key might not be empty in ${JSON.stringify(word)}`
    if (at < 0) pattern['name'] = word
    else pattern[word.slice(0, at)] = word.slice(at + 1)
  }
  return pattern
}

/** The first package that fits: attributes that the pattern does not name do not matter. */
export function selectPackage(
  resources: readonly ComponentResource[],
  pattern: Identity,
): ComponentResource | undefined {
  return resources.find(({ type, ...resource }) => type === resourceTypes.package && fits(resource, pattern))
}

/** Whether every attribute of a pattern fits a resource. */
export function fits(
  { name, version, extraIdentity }: Pick<ComponentResource, 'name' | 'version' | 'extraIdentity'>,
  pattern: Identity,
): boolean {
  return Object.entries(pattern).every(([key, value]) => {
    if (key === 'name') return name === value
    if (key === 'version') return version === value
    return Object.hasOwn(extraIdentity, key) && extraIdentity[key] === value
  })
}

interface Offering {
  /** Absent: all. */
  readonly actions?: readonly string[]
}

/** first: as is documented. last: as the original chooses, whose named matches do not end its search. */
export type ChoiceOrder = 'first' | 'last'

/** The entry whose executor carries out an action. */
export function chooseEntry<T extends Offering>(
  entries: readonly T[],
  action: string,
  order: ChoiceOrder,
): T | undefined {
  const takes = ({ actions }: Offering): boolean => actions === undefined || actions.includes(action)
  if (order === 'first') return entries.find(takes)
  const any = entries.find(({ actions }) => actions === undefined)
  return any ?? entries.findLast(takes)
}
