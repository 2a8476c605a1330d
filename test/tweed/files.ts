/** Finds the contract's case and table files and reads them. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import type { Row } from './tables.ts'

export interface TableFile {
  readonly path: string
  readonly format: string
  readonly document: { readonly [key: string]: unknown; readonly cases?: readonly Row[] }
}

/** The YAML files under some paths. */
export function readTables(paths: readonly string[]): readonly TableFile[] {
  return paths.flatMap(filesOf).map((path) => {
    const document = parse(readFileSync(path, 'utf8')) as TableFile['document']
    return { path, format: String(document['format']), document }
  })
}

function filesOf(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path]
  const entries = readdirSync(path, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
