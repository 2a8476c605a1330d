/** What is found in a JSON Schema: where, what, and what to write. */
export interface SchemaFinding {
  /** JSON pointer of the place. */
  readonly pointer: string
  readonly message: string
  readonly hint: string
  /** Set where it is the default that does not fit its schema, which may be sound. */
  readonly isDefault?: true
}
