/** The folders of a claim store: claims by installation, results by claim, outputs by result, as other tools lay them out. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ClaimFiles } from '../../contracts/cnab/index.ts'

/** How the bytes of a file are written down: as they are, or sealed. */
export interface Wrapping {
  wrap(place: string, bytes: Uint8Array): Uint8Array
  unwrap(place: string, bytes: Uint8Array): Uint8Array
}

export const asTheyAre: Wrapping = { wrap: (_, bytes) => bytes, unwrap: (_, bytes) => bytes }

/** Opens a claim store in a folder, which need not be there yet. */
export function openClaimFiles(folder: string, { wrap, unwrap }: Wrapping): ClaimFiles {
  const read = (...path: readonly string[]): Uint8Array =>
    unwrap(path.join('/'), readFileSync(join(folder, ...path)))
  const write = (path: readonly string[], bytes: Uint8Array): void => {
    const file = join(folder, ...path)
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    // A crash leaves the old file, the new one or none, never half of one.
    writeFileSync(`${file}.new`, wrap(path.join('/'), bytes), { mode: 0o600, flush: true })
    renameSync(`${file}.new`, file)
  }
  const documents = (...path: readonly string[]): readonly string[] =>
    list(join(folder, ...path)).flatMap((name) => (name.endsWith('.json') ? [textOf(name.slice(0, -5))] : []))
  const files: ClaimFiles = {
    installations: () =>
      list(join(folder, 'claims'))
        .map(textOf)
        .filter((name) => files.claims(name).length > 0),
    claims: (installation) => documents('claims', nameOf(installation)),
    claim: (installation, claim) => read('claims', nameOf(installation), `${nameOf(claim)}.json`),
    results: (claim) => documents('results', nameOf(claim)),
    result: (claim, result) => read('results', nameOf(claim), `${nameOf(result)}.json`),
    outputs: (result) => {
      const prefix = `${nameOf(result)}-`
      return list(join(folder, 'outputs', nameOf(result))).flatMap((name) =>
        name.startsWith(prefix) && !name.endsWith('.new') ? [textOf(name.slice(prefix.length))] : [],
      )
    },
    output: (result, name) => {
      const path = ['outputs', nameOf(result), `${nameOf(result)}-${nameOf(name)}`]
      return existsSync(join(folder, ...path)) ? read(...path) : undefined
    },
    writeClaim: (installation, claim, bytes) =>
      write(['claims', nameOf(installation), `${nameOf(claim)}.json`], bytes),
    writeResult: (claim, result, bytes) => write(['results', nameOf(claim), `${nameOf(result)}.json`], bytes),
    writeOutput: (result, name, bytes) =>
      write(['outputs', nameOf(result), `${nameOf(result)}-${nameOf(name)}`], bytes),
  }
  return files
}

function list(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).sort() : []
}

/** Usual names stay as they are; what could be another place is spelt with percent signs. */
function nameOf(text: string): string {
  return encodeURIComponent(text).replace(/^\.+$/, (dots) => '%2E'.repeat(dots.length))
}

/** Other tools write names as they are. */
function textOf(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
