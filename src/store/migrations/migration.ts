/** What a step of the schema is: a number, a name, statements; forward only, never edited after a release. */

export interface Migration {
  readonly number: number
  readonly name: string
  /**
   * Statements both databases know, but for the words `bytes`, `identity` (a growing number as primary key)
   * and `clustered` (a table kept in the order of its key, where there is such a thing).
   */
  readonly statements: readonly string[]
}
