/** Functions that process documents inside of expressions: merge, deepmerge, parse, eval, tagdef, features. */
import type { Call, SpiffFunction } from '../env.ts'
import { isTemplate } from '../env.ts'
import { Failure, failure } from '../issue.ts'
import { parseCode } from '../parse-text.ts'
import { type Cell, cellOf, Dict, List, typeName, type Value } from '../value.ts'
import { count, newList, text } from './arguments.ts'
import { readMode } from './read-mode.ts'

export const documentFunctions: readonly (readonly [string, SpiffFunction])[] = [
  ['merge', merge],
  ['deepmerge', deepmerge],
  ['parse', parse],
  ['eval', evaluateText],
  ['tagdef', tagdef],
  ['features', features],
]

/** Maps, map templates, or one list of them. */
function mapsOf(call: Call): readonly Cell[] {
  const [first] = call.args
  const values =
    first instanceof List && call.args.length === 1 ? first.cells.map((cell) => cell.value) : call.args
  return values.map((value, i) => {
    if (value instanceof Dict) return cellOf(value, call.env.stand.made)
    if (isTemplate(value) && value.prepared.value instanceof Dict) return value.prepared
    return failure(`${call.name}: argument ${i + 1}: no map or map template, but ${typeName(value)}`)
  })
}

function merge(call: Call): Value {
  if (call.args.length < 1) return failure('at least one argument required for merge function')
  const [template, ...stubs] = mapsOf(call)
  if (template === undefined) return failure('merge: no map found for merge')
  return call.env.run.cascade(template, stubs, call.env).value
}

function deepmerge(call: Call): Value {
  if (call.args.length < 1) return failure('')
  const [first, ...rest] = mapsOf(call)
  if (first === undefined) return failure('deepmerge: no map found for merge')
  return rest.reduce((merged, cell) => mergedDeep(call, merged, cell), first).value
}

function mergedDeep(call: Call, a: Cell, b: Cell): Cell {
  if (!(a.value instanceof Dict) || !(b.value instanceof Dict)) return b
  call.env.run.budget.make(b.value.cells.size)
  const cells = new Map(a.value.cells)
  for (const [key, cell] of b.value.cells) {
    const own = cells.get(key)
    cells.set(key, own === undefined ? cell : mergedDeep(call, own, cell))
  }
  return { ...a, value: new Dict(cells) }
}

function parse(call: Call): Value {
  count(call, 1, 2, 'parse takes one or two arguments')
  const source = text(call.args[0], 'first argument for parse must be a string')
  const [, mode = 'import'] = call.args
  const name = call.env.stand.path().join('.')
  return readMode(call, {
    name,
    text: source,
    mode: text(mode, 'second argument for parse must be a string'),
  })
}

function evaluateText(call: Call): Value {
  count(call, 1, 1, "one argument required for 'eval'")
  const source = text(call.args[0], "string argument required for 'eval'")
  const parsed = parseCode(call.env.run, source)
  if ('fault' in parsed) return failure(`(${source})\t ${parsed.fault.message}`)
  try {
    return call.env.run.evaluate(parsed.expr, call.env)
  } catch (error) {
    // Places count in the text of the call, not in what it evaluates.
    if (error instanceof Failure) error.at = undefined
    throw error
  }
}

function tagdef(call: Call): Value {
  count(call, 2, 3, 'two or three arguments expected for tagdef')
  const [given, value = null, scope = 'local'] = call.args
  const name = text(given, 'tag name must be a string')
  if (scope !== 'local' && scope !== 'global')
    return failure(`invalid scope argument "${String(scope)}" for tagdef (must be local or global)`)
  const bare = name.startsWith('*') ? name.slice(1) : name
  const fault = bare
    .split(/[.:]/)
    .map(tagFault)
    .find((one) => one !== undefined)
  if (fault !== undefined) return failure(`invalid tag name "${bare}" for tagdef: ${fault}`)
  const global = scope === 'global' || name.startsWith('*')
  const { env } = call
  env.run.tags.define(global ? `*${bare}` : bare, cellOf(value, env.stand.made), {
    path: env.stand.path().join('.'),
  })
  return value
}

function tagFault(component: string): string | undefined {
  if (!/^[A-Za-z]/.test(component)) return 'tag component must start with alnum rune'
  const odd = /[^A-Za-z0-9-]/.exec(component)?.[0]
  return odd === undefined ? undefined : `invalid character "${odd}" in tag component`
}

function features(call: Call): Value {
  count(call, 0, 1, 'features: a maximum of one argument expected')
  const { control, interpolation } = call.env.run
  const enabled = [...(control ? ['control'] : []), ...(interpolation ? ['interpolation'] : [])]
  const [name] = call.args
  if (name === undefined) return newList(call, enabled)
  return enabled.includes(text(name, 'features: argument must be a string'))
}
