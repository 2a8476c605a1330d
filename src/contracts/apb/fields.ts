/** Reads single fields of a spec as Go's typed decoder does: a value of another type leaves the field at its zero. */
import type { Json, JsonObject } from '../../kit/json.ts'
import { isObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { jsonOfTree, type YamlMap, type YamlPlace, type YamlTree } from '../../kit/yaml-tree.ts'
import type { Problem } from '../../model/problem.ts'
import type { ProblemCode } from '../../model/problem-codes.ts'

/** Collects the problems and warnings of one document. */
export interface Findings {
  readonly problems: Problem[]
  readonly warnings: Problem[]
  /** Whether spellings that the original does not know count as what was meant; they are told either way. */
  readonly lenient: boolean
}

export const source = 'apb.yml'

/** A problem at a place of the document, with what mends it where that can be said in a few words. */
export function found(code: ProblemCode, detail: string, at: YamlPlace, hint?: string): Problem {
  return { code, detail, where: { source, line: at.line, column: at.column }, ...present({ hint }) }
}

/** The fields of one map, typed on request. */
export class Fields {
  readonly map: YamlMap
  readonly #findings: Findings

  constructor(map: YamlMap, findings: Findings) {
    this.map = map
    this.#findings = findings
  }

  tree(key: string): YamlTree | undefined {
    return this.map.members.get(key)
  }

  /** The key under which a value stands: the right spelling, or where that is missing another one, which is told. */
  spelling(key: string, others: readonly string[], kind: string): string {
    const [other] = others.filter((one) => this.tree(one) !== undefined)
    if (other === undefined) return key
    const counts = this.#findings.lenient && this.tree(key) === undefined
    const what = counts ? ` and is read as ${key}, but by no other broker` : `; did you mean ${key}?`
    const detail = `${other} is no key of a ${kind}${what}`
    this.#findings.warnings.push(found('apb.spec.ignored', detail, this.at(other), `Write ${key} instead.`))
    return counts ? other : key
  }

  /** Where a key stands, or the map where it came by a merge. */
  at(key: string): YamlPlace {
    return this.map.keys.get(key) ?? this.map.at
  }

  /** The source text of a scalar; empty for null, for nothing, and for lists and maps. */
  text(key: string): string {
    const tree = this.tree(key)
    if (tree === undefined) return ''
    const text = textOf(tree)
    if (text === undefined) this.#ignored(key, 'is no text and is ignored', `Write a text: ${key}: …`)
    return text ?? ''
  }

  /** A text that is there and not empty. */
  someText(key: string): string | undefined {
    return this.text(key) || undefined
  }

  flag(key: string): boolean {
    const tree = this.tree(key)
    if (tree === undefined || (tree.kind === 'scalar' && tree.value === null)) return false
    if (tree.kind === 'scalar' && typeof tree.value === 'boolean') return tree.value
    const quoted = tree.kind === 'scalar' && /^(true|false|yes|no|on|off)$/i.test(tree.text)
    if (quoted)
      this.#ignored(
        key,
        'is a quoted text, not true or false, and counts as false',
        'Write it without quotation marks.',
      )
    else this.#ignored(key, 'is not true or false', `Write ${key}: true or ${key}: false.`)
    return false
  }

  /** A number that is not quoted. */
  number(key: string): number | undefined {
    const tree = this.tree(key)
    if (tree === undefined || (tree.kind === 'scalar' && tree.value === null)) return undefined
    if (tree.kind === 'scalar' && typeof tree.value === 'number' && Number.isFinite(tree.value)) {
      return tree.value
    }
    this.#ignored(key, 'is not a number and is ignored', 'Write a number, without quotation marks.')
    return undefined
  }

  /** A length above zero; fractions are cut off. */
  length(key: string): number | undefined {
    const value = Math.trunc(this.number(key) ?? 0)
    return value > 0 ? value : undefined
  }

  texts(key: string): readonly string[] {
    return this.list(key).flatMap((item) => textOf(item) ?? [])
  }

  list(key: string): readonly YamlTree[] {
    const tree = this.tree(key)
    if (tree === undefined || (tree.kind === 'scalar' && tree.value === null)) return []
    if (tree.kind === 'list') return tree.items
    this.#ignored(key, 'is not a list and is ignored', `Write a list: ${key}: […]`)
    return []
  }

  object(key: string): JsonObject {
    const value = this.json(key)
    if (value === undefined || value === null) return {}
    if (isObject(value)) return value as JsonObject
    this.#ignored(key, 'is not a map and is ignored', `Write a map: ${key}: {…}`)
    return {}
  }

  /** Any value; undefined where there is none or where JSON cannot say it, which is told. */
  json(key: string): Json | undefined {
    const tree = this.tree(key)
    if (tree === undefined) return undefined
    const value = jsonOfTree(tree)
    if (value === undefined)
      this.#ignored(key, 'says what JSON cannot say, or too much, and is ignored', 'Write what JSON can say.')
    return value
  }

  #ignored(key: string, what: string, hint: string): void {
    this.#findings.warnings.push(found('apb.spec.ignored', `${key} ${what}`, this.at(key), hint))
  }
}

function textOf(tree: YamlTree): string | undefined {
  if (tree.kind !== 'scalar') return undefined
  return tree.value === null ? '' : tree.text
}
