/** A bundle as it was understood: every rule of the format holds, names of older drafts are translated. */
import type { Json, JsonObject } from '../../kit/json.ts'

export interface Bundle {
  /** As written, with or without "v"; empty where there was none. */
  readonly schemaVersion: string
  /** Written before 1.0, when parameters described themselves: they have made definitions, and run tools are told as then. */
  readonly legacy: boolean
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license?: string
  readonly keywords: readonly string[]
  readonly maintainers: readonly Maintainer[]
  /** Never empty; the first that fits is run. */
  readonly invocationImages: readonly InvocationImage[]
  readonly images: Readonly<Record<string, ComponentImage>>
  readonly parameters: Readonly<Record<string, Parameter>>
  readonly credentials: Readonly<Record<string, Credential>>
  readonly outputs: Readonly<Record<string, BundleOutput>>
  readonly definitions: Readonly<Record<string, Definition>>
  /** Declared ones; install, upgrade and uninstall are always there. */
  readonly actions: Readonly<Record<string, DeclaredAction>>
  /** Of the extensions, as written. */
  readonly custom: JsonObject
  readonly requiredExtensions: readonly string[]
}

export interface Maintainer {
  readonly name: string
  readonly email?: string
  readonly url?: string
}

export interface InvocationImage {
  /** As written: keys of relocation maps are spelt so. */
  readonly image: string
  readonly imageType: string
  /** Of the manifest or index; absent where the bundle does not say. */
  readonly contentDigest?: string
  readonly size?: number
  readonly mediaType?: string
  readonly labels: Readonly<Record<string, string>>
}

export interface ComponentImage extends InvocationImage {
  readonly description?: string
}

/** JSON Schema, draft 7. */
export type Definition = boolean | JsonObject

/** What something applies to; absent: to every action. */
interface Applies {
  readonly applyTo?: readonly string[]
}

export interface Parameter extends Applies, Destination {
  /** A key of the definitions. */
  readonly definition: string
  readonly required: boolean
  readonly description?: string
}

export interface Credential extends Applies, Destination {
  readonly required: boolean
  readonly description?: string
}

/** At least one of the two. */
export interface Destination {
  readonly env?: string
  /** Absolute. */
  readonly path?: string
}

export interface BundleOutput extends Applies {
  readonly definition: string
  /** Below `/cnab/app/outputs/`. */
  readonly path: string
  readonly description?: string
}

export interface DeclaredAction {
  readonly title?: string
  readonly description?: string
  readonly modifies: boolean
  readonly stateless: boolean
}

/** Whether a parameter, credential or output is meant for an action. */
export function appliesTo({ applyTo }: Applies, action: string): boolean {
  return applyTo === undefined || applyTo.length === 0 || applyTo.includes(action)
}

/** The definition of a parameter or output; readers have made sure that there is one. */
export function definitionOf(bundle: Bundle, { definition }: { readonly definition: string }): Definition {
  return (Object.hasOwn(bundle.definitions, definition) ? bundle.definitions[definition] : undefined) ?? true
}

/** Whether a value is secret: it is never shown, and sealed where it is kept. */
export function isSensitive(definition: Definition): boolean {
  return typeof definition === 'object' && definition['writeOnly'] === true
}

/** Whether a value stays as install was given it. */
export function isReadOnly(definition: Definition): boolean {
  return typeof definition === 'object' && definition['readOnly'] === true
}

/** Made by the authoring tool for itself; not shown to people. */
export function isInternal(definition: Definition): boolean {
  return typeof definition === 'object' && definition['$comment'] === 'porter-internal'
}

/** A file as text: the reader of the value decodes it. */
export function isBinary(definition: Definition): boolean {
  return (
    typeof definition === 'object' &&
    definition['type'] === 'string' &&
    definition['contentEncoding'] === 'base64'
  )
}

/** The default of a definition; any value can be one, also null. */
export function defaultOf(definition: Definition): { readonly value: Json } | undefined {
  if (typeof definition !== 'object' || !Object.hasOwn(definition, 'default')) return undefined
  return { value: definition['default'] ?? null }
}

/** The types that a definition names; empty: any. */
export function typesOf(definition: Definition): readonly string[] {
  const type = typeof definition === 'object' ? definition['type'] : undefined
  if (typeof type === 'string') return [type]
  return Array.isArray(type) ? type.filter((one): one is string => typeof one === 'string') : []
}
