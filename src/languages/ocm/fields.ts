/** Reads the fields of a document one by one and collects what is wrong with them. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import type { OcmFault } from './fault.ts'

/** A place in a document, with all faults found so far. */
export class Fields {
  readonly value: JsonObject
  readonly path: string
  readonly faults: OcmFault[]

  constructor(value: JsonObject, path: string, faults: OcmFault[]) {
    this.value = value
    this.path = path
    this.faults = faults
  }

  at(key: string): string {
    return this.path === '' ? key : `${this.path}.${key}`
  }

  fault(kind: OcmFault['kind'], path: string, message: string): void {
    this.faults.push({ kind, path, message })
  }

  /** A text that must be there; empty where it is not. */
  text(key: string, judge?: (text: string) => boolean): string {
    const value = this.value[key]
    if (value === undefined || value === null || value === '') {
      this.fault('required', this.at(key), 'is required')
      return ''
    }
    if (typeof value !== 'string') {
      this.fault('invalid', this.at(key), 'must be a text')
      return ''
    }
    if (judge !== undefined && !judge(value))
      this.fault('invalid', this.at(key), `${JSON.stringify(value.slice(0, 300))} is not allowed`)
    return value
  }

  optionalText(key: string): string | undefined {
    const value = this.value[key]
    if (value === undefined || value === null || value === '') return undefined
    if (typeof value === 'string') return value
    this.fault('invalid', this.at(key), 'must be a text')
    return undefined
  }

  /** A map; its absence is a fault where it is required. */
  map(key: string, need: 'required' | 'optional'): Fields {
    const value = this.value[key]
    if (isObject(value)) return new Fields(value as JsonObject, this.at(key), this.faults)
    if (value !== undefined && value !== null) this.fault('invalid', this.at(key), 'must be a map')
    else if (need === 'required') this.fault('required', this.at(key), 'is required')
    return new Fields({}, this.at(key), this.faults)
  }

  optionalMap(key: string): Fields | undefined {
    const value = this.value[key]
    return value === undefined || value === null ? undefined : this.map(key, 'optional')
  }

  texts(key: string): Readonly<Record<string, string>> {
    const value = this.value[key]
    if (value === undefined || value === null) return {}
    if (isObject(value) && Object.values(value).every((one) => typeof one === 'string'))
      return value as Readonly<Record<string, string>>
    this.fault('invalid', this.at(key), 'must be a map of texts')
    return {}
  }

  /** A list of maps, each read by the function. */
  list<T>(key: string, need: 'required' | 'optional', read: (item: Fields) => T): readonly T[] {
    const value: Json | undefined = this.value[key]
    if (value === undefined || (value === null && need === 'optional')) {
      if (need === 'required') this.fault('required', this.at(key), 'is required')
      return []
    }
    // Go writes an empty list that was never made as null.
    if (value === null) return []
    if (!Array.isArray(value)) {
      this.fault('invalid', this.at(key), 'must be a list')
      return []
    }
    return value.map((item: Json, i) => {
      const place = `${this.at(key)}[${i}]`
      if (!isObject(item)) this.fault('invalid', place, 'must be a map')
      return read(new Fields(isObject(item) ? (item as JsonObject) : {}, place, this.faults))
    })
  }
}
