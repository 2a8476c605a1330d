/** A layer of settings: one source with its document, and where in it a value stands. */
import type { Json, JsonObject } from '../kit/json.ts'
import type { Place } from '../model/problem.ts'

/** Highest first. */
export const originNames = ['flag', 'environment', 'file', 'conf.d', 'platform', 'default'] as const
export type OriginName = (typeof originNames)[number]

export interface Layer {
  readonly origin: OriginName
  readonly document: JsonObject
  /** What relative paths are relative to. */
  readonly folder: string
  place(pointer: string): Place
}

/** A layer of values given one by one, such as flags and variables. */
export class LooseLayer implements Layer {
  readonly origin: OriginName
  readonly folder: string
  readonly #document: { [key: string]: Json } = {}
  readonly #sources = new Map<string, string>()

  constructor(origin: OriginName, folder: string) {
    this.origin = origin
    this.folder = folder
  }

  get document(): JsonObject {
    return this.#document
  }

  /** Puts a value at a path such as `http.listen`; source says where it was found. */
  put(path: string, value: Json, source: string): void {
    const steps = path.split('.')
    const last = steps.pop() ?? path
    let here = this.#document
    for (const step of steps) {
      const next = here[step] ?? {}
      here[step] = next
      here = next as { [key: string]: Json }
    }
    here[last] = value
    this.#sources.set(`/${[...steps, last].join('/')}`, source)
  }

  place(pointer: string): Place {
    const known = [...this.#sources].find(([start]) => pointer === start || pointer.startsWith(`${start}/`))
    if (!known) return { source: this.origin }
    const rest = pointer.slice(known[0].length)
    return { source: known[1], ...(rest === '' ? {} : { pointer: rest }) }
  }
}
