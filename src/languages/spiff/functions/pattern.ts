/** The door to regular expressions in RE2 syntax. */
import { type Matcher, RE2JS } from 're2js'
import type { Call } from '../env.ts'
import { failure } from '../issue.ts'

const known = new Map<string, RE2JS>()

/** A compiled pattern; what RE2 refuses is an error of the function that asked. */
export function pattern(call: Call, source: string, subject: number, prefix = `${call.name}: `): RE2JS {
  call.env.run.budget.match(source.length, subject)
  const cached = known.get(source)
  if (cached !== undefined) return cached
  try {
    const compiled = RE2JS.compile(source)
    if (known.size > 200) known.clear()
    known.set(source, compiled)
    return compiled
  } catch (error) {
    return failure(`${prefix}${error instanceof Error ? error.message : 'error parsing regexp'}`)
  }
}

export interface Match {
  readonly start: number
  readonly end: number
  readonly groups: readonly (string | undefined)[]
}

/** The matches of a text, as Go's FindAll finds them: no empty match next to the one before. */
export function matches(re: RE2JS, subject: string, most: number): readonly Match[] {
  const matcher: Matcher = re.matcher(subject)
  const found: Match[] = []
  let from = 0
  let last = -1
  while (found.length < most && from <= subject.length && matcher.find(from)) {
    const start = matcher.start()
    const end = matcher.end()
    if (start !== end || start !== last) {
      const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, i) => matcher.group(i) ?? undefined)
      found.push({ start, end, groups })
      last = end
    }
    from = end > start ? end : end + ((subject.codePointAt(end) ?? 0) > 0xffff ? 2 : 1)
  }
  return found
}

/** The named groups of a pattern. */
export function groupNames(re: RE2JS): ReadonlyMap<string, number> {
  return new Map(Object.entries(re.namedGroups()))
}
