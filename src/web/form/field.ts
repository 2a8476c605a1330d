/** What a form shows: one field per place of a value, made from schema, definition and the value that is there. */
import type { Json, JsonObject } from '../../kit/json.ts'

export interface Common {
  /** JSON pointer into the value. */
  readonly place: string
  /** The last step of the place. */
  readonly name: string
  readonly title: string
  readonly description?: string
  readonly required: boolean
  /** Masked, and never put back into the page. */
  readonly secret: boolean
  readonly fixed: boolean
  /** Whether it may also be said that there is nothing: null. */
  readonly nullable?: true
  /** What holds while nothing is given. */
  readonly fallback?: Json
  readonly value: Json | undefined
}

export interface TextField extends Common {
  readonly kind: 'text'
  readonly lines: 'one' | 'many'
  readonly format?: string
  readonly pattern?: string
  readonly lengthMin?: number
  readonly lengthMax?: number
  readonly examples: readonly string[]
}

export interface NumberField extends Common {
  readonly kind: 'number'
  readonly whole: boolean
  readonly min?: number
  readonly max?: number
  readonly step?: number
}

export interface SwitchField extends Common {
  readonly kind: 'switch'
}

export interface Option {
  readonly value: Json
  readonly title?: string
}

export interface ChoiceField extends Common {
  readonly kind: 'choice'
  readonly options: readonly Option[]
  readonly manner: 'radios' | 'select' | 'search'
}

/** Several of a few. */
export interface SetField extends Common {
  readonly kind: 'set'
  readonly options: readonly Option[]
}

/** Only one value is possible. */
export interface ConstantField extends Common {
  readonly kind: 'constant'
}

export interface Section {
  readonly title?: string
  readonly fields: readonly Field[]
}

export interface GroupField extends Common {
  readonly kind: 'group'
  readonly open: readonly Section[]
  /** What has a default. */
  readonly folded: readonly Section[]
  /** Members that the schema does not declare by name. */
  readonly entries: readonly Field[]
  /** quietly: the schema does not speak of others, and does not forbid them. */
  readonly takesEntries: 'asked' | 'quietly' | 'no'
  /** What a further member starts with. */
  readonly fresh: Json
}

export interface ListField extends Common {
  readonly kind: 'list'
  readonly rows: readonly Field[]
  readonly rowsMin: number
  readonly rowsMax?: number
  /** A further row to start with. */
  readonly fresh: Json
}

/** How a branch is called: by its title, its type, what tells it apart, the members it asks for, or its number. */
export type BranchName =
  | { readonly kind: 'title'; readonly title: string }
  | { readonly kind: 'type'; readonly type: string }
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'members'; readonly names: readonly string[] }
  | { readonly kind: 'number'; readonly number: number }

export interface BranchField extends Common {
  readonly kind: 'branch'
  readonly branches: readonly BranchName[]
  readonly picked: number
  readonly within: Field
  /** What the branches stand in. */
  readonly source: { readonly schema: JsonObject; readonly root: Json }
}

/** Something of several parts that is not there: one opens it with what it starts with. */
export interface ClosedField extends Common {
  readonly kind: 'closed'
  readonly opening: Json
}

/** What a form cannot show, as text. */
export interface RawField extends Common {
  readonly kind: 'raw'
  readonly why: 'anything' | 'deep' | 'nothing-fits'
}

export type Field =
  | TextField
  | NumberField
  | SwitchField
  | ChoiceField
  | SetField
  | ConstantField
  | GroupField
  | ListField
  | BranchField
  | ClosedField
  | RawField

/** Fields directly below a field. */
export function partsOf(field: Field): readonly Field[] {
  switch (field.kind) {
    case 'group':
      return [...[...field.open, ...field.folded].flatMap(({ fields }) => fields), ...field.entries]
    case 'list':
      return field.rows
    case 'branch':
      return [field.within]
    default:
      return []
  }
}

/** The field and all below it. */
export function* everyField(field: Field): Generator<Field> {
  yield field
  for (const part of partsOf(field)) yield* everyField(part)
}

/** The places whose values are masked. */
export function secretPlaces(field: Field): readonly string[] {
  return [...new Set([...everyField(field)].filter(({ secret }) => secret).map(({ place }) => place))]
}
