/** Component versions for commands: the registries of this machine, and what `.ocmconfig` says of places and keys. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { refuse } from '../../artifacts/ocm/faults.ts'
import { type OcmSession, openOcm, readReference } from '../../artifacts/ocm/session.ts'
import { registriesOfCommand } from '../../host/registries.ts'
import {
  type ConfiguredText,
  emptyConfig,
  type OcmConfig,
  readConfig,
  resolversFor,
} from '../../languages/ocm/index.ts'
import { fail } from '../../model/problem.ts'

export interface OcmPlace {
  /** A configuration of OCM; absent: `~/.ocmconfig`, if it is there. */
  readonly config?: string
  /** Repositories in which referenced components may be, too. */
  readonly lookup?: readonly string[]
  readonly signal: AbortSignal
  /** Tells what of the configuration is not used. */
  note?(text: string): void
}

export interface OcmContext {
  readonly session: OcmSession
  readonly config: OcmConfig
  /** The text of a key that the configuration names. */
  text(configured: ConfiguredText): string
}

/** Opens a room for one command and clears up behind it. */
export async function inOcm<T>(place: OcmPlace, work: (room: OcmContext) => Promise<T>): Promise<T> {
  const file = place.config ?? join(homedir(), '.ocmconfig')
  const config = readConfigFile(file, place.config !== undefined)
  for (const one of config.ignored) place.note?.(`${file}: ${one} is not used here`)
  const usual = registriesOfCommand(process.env)
  const scratchFolder = mkdtempSync(join(tmpdir(), 'chandler-ocm-'))
  const lookup = (place.lookup ?? []).map((text) => readReference(text).spec)
  const session = openOcm({
    registries: {
      ...usual,
      credentialFiles: [
        ...(place.config === undefined ? [] : [ocmFile(place.config)]),
        ...(usual.credentialFiles ?? []),
      ],
    },
    scratchFolder,
    signal: place.signal,
    lookup: (component) => [...lookup, ...resolversFor(config.resolvers, component)],
  })
  const text = (configured: ConfiguredText): string =>
    configured.kind === 'text'
      ? configured.text
      : readText(resolve(dirname(file), configured.path.replace(/^~(?=\/)/, homedir())))
  try {
    return await work({ session, config, text })
  } finally {
    await session.close()
    rmSync(scratchFolder, { recursive: true, force: true })
  }
}

/** Files of credentials are told apart by their names. */
function ocmFile(path: string): string {
  return path.endsWith('ocmconfig')
    ? path
    : fail('usage.invalid', `--config ${path}: the name of a configuration of OCM ends in "ocmconfig"`)
}

/** Reads a configuration. Problems: file.unreadable, ocm.config.invalid. */
export function readConfigFile(file: string, isNamed: boolean): OcmConfig {
  const text = isNamed ? readText(file) : readIfThere(file)
  if (text === undefined) return emptyConfig
  const reading = readConfig(text)
  if (reading.kind === 'read') return reading.value
  return refuse(reading.faults, 'ocm.config.invalid', file)
}

/** A file that must be there. Problems: file.unreadable. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', file, { cause })
  }
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The check was not asked for, so what keeps it from being read does not matter.
    return undefined
  }
}
