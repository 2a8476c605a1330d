/** The runs that an action comes to: dependencies before what needs them, and after it when they go. */
import { canonical, type Json } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import type { Carryover } from '../../model/outcome.ts'
import type { Problem } from '../../model/problem.ts'

/** One run of a chain. */
export interface Link {
  /** Absent: the bundle itself. */
  readonly alias?: string
  /** In the bundle's words. */
  readonly action: string
}

/** What is kept between the runs of one operation: its end may need runs that were not planned at its start. */
export interface Chain {
  readonly operation: string
  readonly links: readonly Link[]
  /** The place of the run that is started next. It may have run although nothing else is known of it. */
  readonly next: number
  /** Why everything is being undone; empty while nothing is. */
  readonly because: readonly Problem[]
}

const entry = 'chain'

/** The chain that is under way, or that an operation left when it was cut off. */
export function chainIn(carryover: Carryover): Chain | undefined {
  const bytes = carryover[entry]
  // Written by withChain and by nothing else.
  return bytes && (JSON.parse(new TextDecoder().decode(bytes)) as Chain)
}

export function withChain(carryover: Carryover, chain: Chain): Carryover {
  return { ...carryover, [entry]: new TextEncoder().encode(canonical(chain as unknown as Json)) }
}

export function withoutChain(carryover: Carryover): Carryover {
  const { [entry]: _over, ...rest } = carryover
  return rest
}

export interface Wish {
  readonly action: string
  /** Aliases of the dependencies that have this action, in the order in which they are installed. */
  readonly able: readonly string[]
  /** Aliases of the dependencies of which something may be there, whatever version of the bundle named them. */
  readonly there: readonly string[]
  /** Whether something of the bundle itself may be there. */
  readonly isThere: boolean
  /** The chain that an operation left when it was cut off. */
  readonly cut?: Chain
}

/** Plans the runs of an action. */
export function planLinks(wish: Wish): readonly Link[] {
  const { action, able, there } = wish
  const own: Link = { action }
  switch (action) {
    case 'install':
      return [...able.map((alias) => ({ alias, action })), own]
    case 'upgrade':
      return [
        // What is new in this version of the parent has never been installed.
        ...able.map((alias) => ({ alias, action: there.includes(alias) ? action : 'install' })),
        own,
        ...dropped(wish).map((alias) => ({ alias, action: 'uninstall' })),
      ]
    case 'uninstall':
      return uninstallLinks(wish)
    default:
      return [...able.filter((alias) => there.includes(alias)).map((alias) => ({ alias, action })), own]
  }
}

/** What never ran is not uninstalled. Of an install that was cut off, the run that was next may have begun. */
function uninstallLinks(wish: Wish): readonly Link[] {
  const { able, there, isThere, cut } = wish
  const aliases = [...dropped(wish).toReversed(), ...able]
  const begun = cut?.links[cut.next]
  const installed = [...aliases, undefined].filter(
    (alias) =>
      (alias === undefined ? isThere : there.includes(alias)) ||
      (begun !== undefined && begun.alias === alias),
  )
  const [first] = aliases
  const reached = installed.length > 0 ? installed : [first]
  return reached.toReversed().map((alias) => ({ ...present({ alias }), action: 'uninstall' }))
}

/** Dependencies of an earlier version that this one has no more, in the order in which they go. */
function dropped({ able, there }: Wish): readonly string[] {
  const gone = there.filter((alias) => !able.includes(alias))
  // What a dependency needs lies below it and goes after it.
  return gone.toSorted((a, b) => a.split('/').length - b.split('/').length)
}

/** The runs that undo those installs of a chain that have run, last first. */
export function undoing<T extends Link>(links: readonly T[]): readonly T[] {
  return links
    .filter(({ action }) => action === 'install')
    .toReversed()
    .map((link) => ({ ...link, action: 'uninstall' }))
}

/** What is told beside the cause when an operation has been undone. */
export const undoneMessage = 'what was installed for it has been uninstalled again'

/** What went wrong in a run of a dependency, told as such. */
export function ofDependency(problems: readonly Problem[], alias: string | undefined): readonly Problem[] {
  if (alias === undefined) return problems
  return problems.map(({ where, ...problem }) => ({
    ...problem,
    detail: `dependency ${alias}: ${problem.detail ?? problem.code}`,
    ...(where === undefined ? {} : { where: whereIn(alias, where) }),
  }))
}

/** Parameters of dependencies are sent as `alias#name`. */
function whereIn(alias: string, where: NonNullable<Problem['where']>): NonNullable<Problem['where']> {
  if (where.source !== 'parameters' || where.pointer === undefined) return where
  const to = `/${alias.split('/').join('#')}#`
  return { ...where, pointer: where.pointer.replace(/^\//, to) }
}
