/** Reads the fields of a package's documents as leniently as the original does, and says what is wrong or doubtful with each. */
import { isObject, type Json, type JsonObject, pointer } from '../../kit/json.ts'
import { keyMax, strayKeys } from '../../kit/near-keys.ts'
import { present } from '../../kit/present.ts'
import type { Problem } from '../../model/problem.ts'
import type { ProblemCode } from '../../model/problem-codes.ts'
import type { Document } from './document.ts'

export interface What {
  readonly source: string
  readonly what: string
  readonly code: ProblemCode
}

export interface Collecting extends What {
  /** Whether there is a map at all. */
  readonly isRead: boolean
  readonly document: Document
  readonly problems: Problem[]
  readonly warnings: Problem[]
}

export const fixes = {
  text: 'Write a text, in quotation marks where it looks like a number or a word such as "on".',
  map: 'Write a map: one "key: value" per line, indented below it.',
  list: 'Write a list: one "- …" per line, or [..., ...].',
  maps: 'Write a list of maps: one "- name: …" per item.',
  flag: 'Write true or false, without quotation marks.',
} as const

/** A map in a document; a class for the place and the faults that every look at it shares. */
export class Place {
  readonly value: JsonObject
  readonly pointer: string
  readonly #found: Collecting
  /** Misspelt keys by what they mean. */
  readonly #misspelt = new Map<string, string>()

  constructor(value: JsonObject, at: string, found: Collecting) {
    this.value = value
    this.pointer = at
    this.#found = found
  }

  get isRead(): boolean {
    return this.#found.isRead
  }

  /** How a field is written here. */
  #written(key: string): string {
    if (Object.hasOwn(this.value, key)) return key
    const lower = key.toLowerCase()
    return Object.keys(this.value).find((one) => one.toLowerCase() === lower) ?? key
  }

  get(key: string): Json | undefined {
    return this.value[this.#written(key)]
  }

  at(key: string): string {
    return pointer(this.pointer, this.#written(key))
  }

  has(key: string): boolean {
    const value = this.get(key)
    return value !== undefined && value !== null
  }

  fault(key: string, detail: string, hint: string, code: ProblemCode = this.#found.code): void {
    const { document, problems } = this.#found
    problems.push({ code, detail, where: document.where(this.at(key)), hint })
  }

  warn(code: ProblemCode, key: string, detail = key, hint?: string): void {
    const { document, warnings } = this.#found
    warnings.push({ code, detail, where: document.where(this.at(key)), ...present({ hint }) })
  }

  /** Warns of keys that mean nothing: the original passes over them in silence. An open map has other names, too, and their case counts. */
  only(words: readonly string[], { isOpen = false } = {}): this {
    const same = (a: string, b: string): boolean => (isOpen ? a === b : a.toLowerCase() === b.toLowerCase())
    for (const { key, meant, hint } of strayKeys(this.value, words, otherWords)) {
      if (words.some((word) => same(word, key)) || key.length > keyMax) continue
      const detail = `${key}: is not known and has no effect`
      if (meant === undefined && isOpen) continue
      if (meant === undefined)
        this.warn(
          'toi.package.questionable',
          key,
          detail,
          `Take it out; what is known here is ${words.join(', ')}.`,
        )
      else {
        this.#misspelt.set(meant, key)
        this.warn('toi.package.questionable', key, `${detail}; did you mean "${meant}"?`, hint)
      }
    }
    return this
  }

  /** A field that must be there: where a misspelt one was meant for it, that is what is at fault. */
  missing(key: string, detail: string, hint: string, code: ProblemCode = this.#found.code): void {
    if (!this.promote(key)) this.fault(key, detail, hint, code)
  }

  /** Makes a problem of a misspelt field without which the rest cannot be understood; answers whether there is one. */
  promote(key: string): boolean {
    const { code, warnings, problems } = this.#found
    const written = this.#misspelt.get(key)
    if (written === undefined) return false
    const own = pointer(this.pointer, written)
    const at = warnings.findIndex((one) => one.where?.pointer === own)
    const [told] = at < 0 ? [] : warnings.splice(at, 1)
    if (told !== undefined) problems.push({ ...told, code })
    return told !== undefined
  }

  isEmpty(key: string): boolean {
    const value = this.get(key)
    return Array.isArray(value) && value.length === 0
  }

  text(key: string): string | undefined {
    const value = this.get(key)
    if (value === undefined || value === null) return undefined
    if (typeof value === 'string') return value
    this.fault(key, `${key} must be a text`, fixes.text)
    return undefined
  }

  flag(key: string): boolean {
    const value = this.get(key)
    if (value === undefined || value === null || typeof value === 'boolean') return value === true
    this.warn('toi.package.questionable', key, `${key} must be true or false`, fixes.flag)
    return false
  }

  child(key: string, example?: string): Place | undefined {
    const value = this.get(key)
    if (value === undefined || value === null) return undefined
    if (isObject(value)) return new Place(value as JsonObject, this.at(key), this.#found)
    this.fault(key, `${key} must be a map`, example ?? fixes.map)
    return undefined
  }

  list(
    key: string,
    example: string = fixes.maps,
    asItem = (name: string): string => `Write maps in the list: - name: ${name}`,
  ): readonly Place[] {
    const value = this.get(key)
    if (value === undefined || value === null) return []
    if (Array.isArray(value) && value.every(isObject))
      return value.map((item, i) => new Place(item as JsonObject, pointer(this.at(key), i), this.#found))
    const [first] = Array.isArray(value) ? value : []
    const item = typeof first === 'string' ? asItem(first.replace(/^\w+:/, '')) : example
    this.fault(key, `${key} must be a list of maps`, item)
    return []
  }

  entries(key: string): readonly (readonly [string, Place])[] {
    const map = this.child(key)
    return Object.entries(map?.value ?? {}).flatMap(
      ([name, value]): readonly (readonly [string, Place])[] => {
        if (isObject(value) || value === null)
          return [[name, new Place((value ?? {}) as JsonObject, pointer(this.at(key), name), this.#found)]]
        map?.fault(name, `${name} must be a map`, fixes.map)
        return []
      },
    )
  }

  texts(key: string): readonly string[] | undefined {
    const value = this.get(key)
    if (value === undefined || value === null) return undefined
    if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
      return value as readonly string[]
    const isList = Array.isArray(value)
    this.fault(
      key,
      `${key} must be a list of texts`,
      isList ? 'Write a list of texts, each in quotation marks.' : fixes.list,
    )
    return []
  }

  textMap(key: string, example?: string): Readonly<Record<string, string>> | undefined {
    const value = this.get(key)
    if (value === undefined || value === null) return undefined
    if (!isObject(value)) {
      this.fault(key, `${key} must be a map of texts`, example ?? fixes.map)
      return {}
    }
    const place = new Place(value as JsonObject, this.at(key), this.#found)
    for (const [name, one] of Object.entries(value))
      if (typeof one !== 'string') place.fault(name, `${name} must be a text`, fixes.text)
    return Object.fromEntries(
      Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
    )
  }

  any(key: string): { readonly value: Json } | undefined {
    const value = this.get(key)
    return value === undefined || value === null ? undefined : { value }
  }
}

/** Words of other tools and years, and what they are called here. */
const otherWords: Readonly<Record<string, string>> = {
  property: 'properties',
  ...{ required: 'optional', reference: 'ref', consumerIdentity: 'consumerId', imageReference: 'imageRef' },
  ...{ desc: 'description', executor: 'resourceRef', schema: 'configScheme', template: 'configTemplate' },
  ...{ libraries: 'templateLibraries', parameters: 'parameterMapping' },
}
