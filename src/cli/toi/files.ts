/** The files that installers of TOI packages are used to: parameters, credentials, the configuration of OCM. */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { readConfig, withDockerFiles } from '../../languages/ocm/index.ts'
import { type Data, escapeData, processSpiff, readSpiff } from '../../languages/spiff/index.ts'
import { fail } from '../../model/problem.ts'
import { say } from '../terminal.ts'

export const usualFiles = { parameters: 'TOIParameters', credentials: 'TOICredentials' } as const

/** The parameters, with their expressions: these are evaluated with the package. Problems: file.unreadable, toi.parameters.invalid. */
export function parametersIn(file: string | undefined): JsonObject {
  const text = textOf(file, usualFiles.parameters, 'parameter file')
  if (text === undefined || text.trim() === '') return {}
  const name = file ?? usualFiles.parameters
  const read = readSpiff({ name, text })
  if (read.kind === 'failed')
    return fail('toi.parameters.invalid', read.fault.message, { where: { source: name } })
  const value = JSON.parse(read.documents[0]?.json() ?? 'null') as Json
  if (value === null) return {}
  return isObject(value)
    ? (value as JsonObject)
    : fail('toi.parameters.invalid', 'it is no map', {
        where: { source: name },
        hint: 'Write one map of names and values into the file.',
      })
}

/** The credentials as a document; the file is the operator's own, and may read files beside it. */
export function credentialsIn(file: string | undefined): string | undefined {
  const text = textOf(file, usualFiles.credentials, 'credentials file')
  if (text === undefined) return undefined
  const name = file ?? usualFiles.credentials
  const folder = dirname(resolve(name))
  const result = processSpiff({ name, text }, [], {
    control: true,
    interpolation: true,
    ports: {
      files: {
        read: (path) => new Uint8Array(readFileSync(resolve(folder, path.replace(/^~(?=\/)/, homedir())))),
        kind: () => 'file',
        list: () => [],
      },
    },
  })
  // A message could quote a secret; a place cannot.
  if (result.kind === 'failed') {
    const { kind, line, column } = result.fault
    const what = kind === 'yaml' ? 'it is no YAML' : 'an expression cannot be evaluated'
    return fail('toi.credentials.invalid', `error processing credential settings: ${what}`, {
      where: { source: name, ...present({ line, column }) },
      hint: 'Mend the named place; chandler spiff merge with the file tells the fault in full, and may show what is secret in it.',
    })
  }
  const value = JSON.parse(result.documents[0]?.json() ?? 'null') as Data
  return JSON.stringify(escapeData(value ?? {}, true))
}

/** The configuration of OCM as text, if there is one, with the files of Docker that it names; says what of it is not used. */
export function configIn(file: string | undefined): string | undefined {
  const usual = join(homedir(), '.ocmconfig')
  const text = textOf(file, usual, 'configuration')
  if (text === undefined) return undefined
  const name = file ?? usual
  const whole = withDockerFiles(text, (path) => {
    const found = resolve(dirname(name), path.replace(/^~(?=\/)/, homedir()))
    return existsSync(found) ? readFileSync(found, 'utf8') : undefined
  })
  const reading = readConfig(whole)
  if (reading.kind === 'read')
    for (const one of reading.value.ignored) say(`note: ${name}: ${one} is not used here`)
  return whole
}

/** A usual file counts only where it is there; one that is named must be. */
function textOf(file: string | undefined, usual: string, what: string): string | undefined {
  if (file === undefined && !existsSync(usual)) return undefined
  try {
    return readFileSync(file ?? usual, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', `failed reading ${what} ${JSON.stringify(file ?? usual)}`, { cause })
  }
}
