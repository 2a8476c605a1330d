/** Words that every document of the operator API is made of: moments, pages, free JSON. */
import { type Static, type TSchema, Type } from 'typebox'
import type { JsonObject } from '../kit/json.ts'

export const Moment = Type.String({ format: 'date-time', description: 'RFC 3339, UTC.' })

/** Milliseconds since 1970 as the API says them. */
export function moment(ms: number): string {
  return new Date(ms).toISOString()
}

/** A JSON object whose keys are not ours. */
export const Free = Type.Unsafe<JsonObject>({ type: 'object', additionalProperties: true })

/** Any JSON value. */
export const Anything = Type.Unsafe<JsonObject[string]>({})

export const Digest = Type.String({ description: '`sha256:…`', examples: ['sha256:9f86d081884c7d65…'] })

/** One page of a list; `next` is the cursor of the following one. */
export function pageOf<T extends TSchema>(item: T) {
  return Type.Object({ items: Type.Array(item), next: Type.Optional(Type.String()) })
}

export interface PageOf<T> {
  readonly items: readonly T[]
  readonly next?: string
}

export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: 50, description: 'Items per page.' }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 512, description: '`next` of the page before.' })),
}

/** The readonly form of what a schema describes. */
export type Of<S extends TSchema> = DeepReadonly<Static<S>>

type DeepReadonly<T> = T extends JsonObject
  ? T extends { readonly [key: string]: infer V }
    ? string extends keyof T
      ? { readonly [key: string]: V }
      : { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T
  : T extends readonly (infer E)[]
    ? readonly DeepReadonly<E>[]
    : T extends object
      ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
      : T
