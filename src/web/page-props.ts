/** What every page is given. */

import type { Params } from './pattern.ts'

export interface PageProps {
  /** What stands in the address for the names in the pattern. */
  readonly params: Params
}
