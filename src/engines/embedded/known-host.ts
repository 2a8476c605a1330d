/**
 * Remembers what was found out about the host, since to try costs more than most commands.
 * A proof holds as long as everything it stands on is the same; one that seems wrong is thrown away and tried anew.
 */
import { readlinkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { release } from 'node:os'
import { join } from 'node:path'
import { asideOf } from '../../artifacts/content/durable.ts'
import { sha256 } from '../../kit/hash.ts'
import { isObject } from '../../kit/json.ts'
import type { Report } from '../../model/report.ts'
import { readSmall, statSmall } from '../absent.ts'
import type { Loan } from '../mounted-programs.ts'
import { type NetworkChoice, networkPrograms } from '../run-network.ts'
import { usualFolders } from '../usual-path.ts'
import { type Controls, findControls } from './cgroups.ts'
import { type Host, hostOf, type Proof, placesOfRuntimes, proveHost, type RuntimeChoice } from './host.ts'
import { bootId } from './identity.ts'

export interface KnownHost {
  /** As it is known now. */
  now(): Host
  /** A run could not be started, or ended as those do that cannot: a proof that was only remembered is tried anew. */
  doubt(): void
  /** Resolves when no trial is under way. */
  settled(): Promise<void>
}

export interface KnowHost {
  /** For trials, and for what is remembered of them. */
  readonly folder: string
  readonly choice: RuntimeChoice
  readonly network?: NetworkChoice
  /** Whatever is remembered. */
  readonly anew: boolean
}

/** Another form of the trial proves something else. */
const form = 2

/** Looks at the host, or remembers how it looked. */
export async function knowHost({ folder, choice, network, anew }: KnowHost): Promise<KnownHost> {
  const file = proofFile(folder)
  const controls = await findControls()
  const prove = async (): Promise<Host> => {
    const proof = await proveHost(folder, choice, controls)
    // That nothing works may be of this moment only.
    const works =
      proof.unconfinable === undefined && (proof.runtime.kind !== 'plain' || proof.passedOver.length === 0)
    const isLasting = works && (proof.noNetwork === undefined || proof.noNetwork.endsWith(' missing'))
    if (isLasting) write(file, proof, groundsOf(proof, choice, controls))
    return hostOf(proof, controls)
  }
  const known = anew ? undefined : read(file, choice, controls)
  let isProven = known === undefined
  let host = known === undefined ? await prove() : hostOf(known, controls)
  let trial: Promise<void> | undefined
  return {
    now: () => (network === 'host' ? { ...host, network: { kind: 'host' } } : host),
    doubt() {
      if (isProven) return
      isProven = true
      rmSync(file, { force: true })
      trial = prove().then(
        (proven) => {
          host = proven
        },
        // The next opening of the engine tries again and reports it.
        () => undefined,
      )
    },
    settled: async () => await trial,
  }
}

/** Where the proof is remembered. */
export function proofFile(folder: string): string {
  return join(folder, 'host.json')
}

/** Whether a run ended as one does whose runtime is not what it was. */
export function isDoubtful({ end, steps }: Report): boolean {
  // What a shell says of a program that fails before it runs, and runtimes of themselves.
  return end.kind === 'not-started' || steps.some(({ exit }) => exit >= 125 && exit <= 127)
}

/** Everything that a proof stands on, as one digest. */
function groundsOf({ loan }: Pick<Proof, 'loan'>, choice: RuntimeChoice, controls: Controls): string {
  const status = readSmall('/proc/self/status') ?? ''
  const rights = status.match(/^(Uid|Gid|Cap\w+|NoNewPrivs|Seccomp):.*$/gm) ?? []
  const namespaces = ['user', 'mnt', 'cgroup', 'pid', 'net'].map(namespaceOf)
  const programs = networkPrograms.flatMap((name) => usualFolders.map((folder) => join(folder, name)))
  const files = [...placesOfRuntimes(), ...programs, '/dev/net/tun', ...loan.copied].map((path) => [
    path,
    versionOf(path),
  ])
  const grounds = { form, choice, controls, boot: bootId(), kernel: release(), rights, namespaces, files }
  return sha256(JSON.stringify(grounds))
}

function namespaceOf(name: string): string {
  try {
    return readlinkSync(`/proc/self/ns/${name}`)
  } catch {
    // A kernel without them.
    return ''
  }
}

function versionOf(path: string): string {
  const stats = statSmall(path)
  return stats === undefined ? '' : `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}`
}

function write(file: string, proof: Proof, grounds: string): void {
  const aside = asideOf(file)
  writeFileSync(aside, JSON.stringify({ grounds, ...proof }), { mode: 0o600 })
  renameSync(aside, file)
}

function read(file: string, choice: RuntimeChoice, controls: Controls): Proof | undefined {
  const proof = parse(readSmall(file) ?? '')
  if (proof === undefined || statSmall(proof.loan.folder) === undefined) return undefined
  return groundsOf(proof, choice, controls) === proof.grounds ? proof : undefined
}

/** One that is cut off, or of another version, is none. */
function parse(text: string): (Proof & { readonly grounds: string }) | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isProof(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isProof(value: unknown): value is Proof & { readonly grounds: string } {
  if (!isObject(value) || typeof value['grounds'] !== 'string' || !areTexts(value['passedOver'])) return false
  const { runtime, loan, noNetwork } = value
  if (noNetwork !== undefined && typeof noNetwork !== 'string') return false
  return isObject(runtime) && isRuntime(runtime) && isObject(loan) && isLoan(loan)
}

function isRuntime({ kind, program }: { readonly [key: string]: unknown }): boolean {
  return kind === 'plain' || ((kind === 'crun' || kind === 'runc') && typeof program === 'string')
}

function isLoan({ folder, tools, copied }: { readonly [key in keyof Loan]?: unknown }): boolean {
  const areTools =
    Array.isArray(tools) &&
    tools.every((tool) => isObject(tool) && typeof tool['tool'] === 'string' && 'needsLoader' in tool)
  return typeof folder === 'string' && areTools && areTexts(copied)
}

function areTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
