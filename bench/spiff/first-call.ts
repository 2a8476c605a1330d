/** The first call of a process: the library as it is built, loaded by one process after another. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { median } from '../figures.ts'

const root = resolve(import.meta.dirname, '../..')
const processes = 9

export interface FirstCall {
  /** Milliseconds of processor time for loading the library, and for the first call. */
  readonly loaded: number
  readonly called: number
}

/** Medians, one for each document. */
export function firstCalls(
  documents: readonly { readonly template: string; readonly stub: string }[],
): readonly FirstCall[] {
  const work = mkdtempSync(join(tmpdir(), 'chandler-first-call-'))
  try {
    const lib = join(work, 'lib')
    execFileSync(process.execPath, [join(root, 'scripts/build-libraries.ts'), lib])
    symlinkSync(join(root, 'node_modules'), join(work, 'node_modules'))
    return documents.map((document) => {
      const samples = Array.from({ length: processes }, () => firstCall(join(lib, 'spiff.js'), document))
      const middle = (what: keyof FirstCall): number => median(samples.map((sample) => sample[what]))
      return { loaded: middle('loaded'), called: middle('called') }
    })
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function firstCall(
  library: string,
  document: { readonly template: string; readonly stub: string },
): FirstCall {
  const program = join(import.meta.dirname, 'first-call-process.ts')
  const printed = execFileSync(process.execPath, [program, library], {
    input: JSON.stringify(document),
    encoding: 'utf8',
  })
  return JSON.parse(printed) as FirstCall
}
