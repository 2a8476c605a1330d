/** Judges of what lies outside of a bundle: indexes of registries, claim stores, drivers. */
import type { Judge } from './cnab.ts'

export const storedTables: Readonly<Record<string, Judge>> = {}
