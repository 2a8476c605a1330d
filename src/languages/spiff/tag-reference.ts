/** `tag::path`: the tag of that name, or the nearest tags below it. */
import type { Env } from './env.ts'
import { Failure, failure } from './issue.ts'
import { settled, walkTo } from './reference.ts'
import type { Cell, Seen } from './value.ts'

/** The cell a tagged reference leads to. */
export function resolveTagged(tag: string, steps: readonly string[], env: Env): Cell {
  const found = env.run.tags.find(tag, env)
  if (found.length === 0) return failure(`tag '${tag}' not found`)
  const path = steps[0] === '' ? steps.slice(1) : steps
  const name = tag.replaceAll(':', '.')
  const exact = found.find((one) => one.name === name)
  if (exact?.name === 'doc.0' && path.length === 0) return failure('no reference to actual document possible')
  if (exact !== undefined) return settled(walkTo(exact.at, path, { shown: [], env }), { shown: steps, env })
  if (path.length === 0) {
    const [only] = found
    if (found.length === 1 && only) return settled(only.at, { shown: steps, env })
    return failure(`found multiple tags for '${tag}': ${found.map((one) => one.name).join(', ')}`)
  }
  return throughLevels(found, path, { shown: `${tag}::${steps.join('.')}`, env })
}

interface Tagged {
  readonly name: string
  readonly at: Seen
}

/** By number of components: the first level with exactly one tag that has the path. */
function throughLevels(
  found: readonly Tagged[],
  path: readonly string[],
  { shown, env }: { shown: string; env: Env },
): Cell {
  const levels = [...new Set(found.map(levelOf))].sort((a, b) => a - b)
  for (const level of levels) {
    const hits = found.filter((one) => levelOf(one) === level).flatMap((one) => tryPath(one, path, env))
    const [hit, other] = hits
    if (hit && other)
      return failure(`ambigious tag resolution for ${shown}: ${hits.map(({ name }) => name).join(' <-> ')}`)
    if (hit) return settled(hit.at, { shown: path, env })
  }
  return failure(`'${shown}' not found`)
}

function levelOf({ name }: Tagged): number {
  return name.split('.').length
}

function tryPath(one: Tagged, path: readonly string[], env: Env): readonly Tagged[] {
  try {
    return [{ name: one.name, at: walkTo(one.at, path, { shown: [], env }) }]
  } catch (error) {
    if (error instanceof Failure) return []
    throw error
  }
}
