/** Component versions for tests: built, signed, moved and judged through the tools that commands use. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, sign, transfer, verify } from '../../src/authoring/ocm/make.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { type Problem, ProblemError } from '../../src/model/problem.ts'
import { findProgram } from '../support/debian.ts'

export const place = { signal: new AbortController().signal }
const quiet = { progress: () => undefined }
const templates = { template: (text: string) => text, inputTemplate: (text: string) => text, values: {} }

export async function make(
  folder: string,
  to: string,
  constructed: JsonObject,
  more: { readonly skipDigests?: boolean; readonly overwrite?: boolean } = {},
) {
  const file = join(folder, 'constructor.json')
  writeFileSync(file, JSON.stringify(constructed))
  return await build(
    { file, to, overwrite: false, skipDigests: false, ...more, ...templates, ...quiet },
    place,
  )
}

export async function move(from: string, to: string, more: Partial<Parameters<typeof transfer>[0]> = {}) {
  return await transfer(
    {
      from,
      to,
      recursive: true,
      byValue: false,
      keepGlobalAccess: false,
      overwrite: false,
      ...more,
      ...quiet,
    },
    place,
  )
}

export async function judge(reference: string, more: Partial<Parameters<typeof verify>[0]> = {}) {
  const usual = { signatures: [], keys: [], roots: [], issuers: [], digestsOnly: false }
  return await verify({ reference, ...usual, ...more, ...quiet }, place)
}

export async function signAs(
  reference: string,
  name: string,
  key: string,
  { config, ...more }: Partial<Parameters<typeof sign>[0]> & { readonly config?: string } = {},
) {
  const usual = { algorithm: 'RSASSA-PKCS1-V1_5', normalisation: 'jsonNormalisation/v3' } as const
  return await sign(
    { reference, name, key, ...usual, ...more, ...quiet },
    { ...place, ...(config === undefined ? {} : { config }) },
  )
}

/** The problems that work ends with; none: it worked. */
export async function problemsOf(work: Promise<unknown>): Promise<readonly Problem[]> {
  try {
    await work
    return []
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error
    const { others = [], ...first } = error.problem
    return [first, ...others]
  }
}

export async function codesOf(work: Promise<unknown>): Promise<readonly string[]> {
  return [...new Set((await problemsOf(work)).map(({ code }) => code))]
}

export function openssl(...args: readonly string[]): void {
  execFileSync(findProgram('openssl') ?? 'openssl', args, { stdio: 'ignore' })
}

/** A private key and the public one beside it. */
export function keyPair(folder: string, name: string): { readonly key: string; readonly pub: string } {
  const key = join(folder, `${name}.pem`)
  openssl('genrsa', '-out', key, '2048')
  openssl('rsa', '-in', key, '-pubout', '-out', `${key}.pub`)
  return { key, pub: `${key}.pub` }
}
