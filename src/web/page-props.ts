/** What every page is given. */

export interface PageProps {
  /** What stands in the address for the names in the pattern. */
  readonly params: Readonly<Record<string, string>>
}
