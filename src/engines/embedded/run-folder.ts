/** Where a run lies on the disk, and what its folder says about it. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Address, type Limits, usualLimits, type Want } from '../../model/job.ts'
import { readSmall, targetOf, unlessAbsent } from '../absent.ts'
import type { RunName } from '../engine.ts'
import { namesIn } from '../names-in.ts'
import type { StepRecord } from '../step-files.ts'

/** The folders of one engine. */
export interface ArtifactContext {
  readonly folder: string
  readonly runs: string
  /** What runs of one shape share. */
  readonly grounds: string
  /** Layouts being made; what lies here was never a run. */
  readonly aside: string
  /** Folders being removed. */
  readonly trash: string
  /** On memory where the host has it: what holds secrets. */
  readonly privates: string
  /** Programs of the host that are lent to runs. */
  readonly lent: string
}

export interface RunPaths {
  readonly folder: string
  readonly record: string
  /** Made by the first of two: the shim, to start, or discard, to forbid the start. */
  readonly began: string
  readonly stop: string
  readonly exit: string
  /** Gone when something of what was printed had no room on the disk. */
  readonly whole: string
  readonly private: string
  readonly merged: string
}

/** The paths of a run by its name. */
export function pathsOf({ runs }: Pick<ArtifactContext, 'runs'>, run: RunName): RunPaths {
  return pathsIn(join(runs, run))
}

/** The paths of a run in its folder. */
export function pathsIn(folder: string): RunPaths {
  return {
    folder,
    record: join(folder, 'run.json'),
    began: join(folder, 'began'),
    stop: join(folder, 'stop'),
    exit: join(folder, 'exit'),
    whole: join(folder, 'whole'),
    private: join(folder, 'private'),
    merged: join(folder, 'merged'),
  }
}

/** What must be known of a run after its broker died; holds no secrets. */
export interface RunRecord {
  readonly cluster: string
  readonly operation: string
  /** What its containers and groups are called after: the run, or what waited for it. */
  readonly names: readonly string[]
  /** Digest of the job it was laid out for. */
  readonly spec: string
  /** The boot of the host it was laid out in. */
  readonly boot: string
  readonly laidOutAt: number
  readonly runtime: Runtime
  readonly steps: readonly StepRecord[]
  readonly wants: readonly Want[]
  readonly limits: Limits
  /** Mounts that are wanted from, by their path inside: where they lie in the run's folder. */
  readonly places: readonly { readonly path: string; readonly host: string }[]
  /** Where paths that are not absolute begin. */
  readonly base: string
  /** Addresses of the host that its own network is lent. */
  readonly lent: readonly Address[]
  /** What its folders took of the disk when it was laid out. */
  readonly broughtBytes: number
  /** Whether its shim stays until it is discarded, for the sake of its mounts. */
  readonly stays: boolean
  /** The folder of the ground it stands on. */
  readonly ground: string
}

/** What runs a step. */
export type Runtime =
  | OciRuntime
  /** unshare, mount and setpriv of the host. */
  | { readonly kind: 'plain' }

export interface OciRuntime {
  readonly kind: 'runc' | 'crun'
  readonly program: string
}

/** The folders of a run that its program may fill. */
export function openFolders({ folder }: Pick<RunPaths, 'folder'>): readonly string[] {
  const names = namesIn(folder).filter((name) => /^(up|work|workspace|f\d+)$/.test(name))
  return names.map((name) => join(folder, name))
}

/** What the container and the group of a step may be called. */
export function containersOf({ names }: RunRecord, step: number): readonly string[] {
  return names.map((name) => containerName(name, step))
}

export function containerName(name: string, step: number): string {
  return `${name}-s${step}`
}

/** The mark of the claim that a layout belongs to. */
export function fenceFile({ folder }: RunPaths, fence: number): string {
  return join(folder, `fence.${fence}`)
}

/** What a shim locks for its life; each its own, since one that waits to be let go must not pass for another. */
export function lockFile({ folder }: RunPaths, pid: number): string {
  return join(folder, `lock.${pid}`)
}

/** The claim that a layout belongs to; a later one moves its mark. */
export async function fenceOf({ folder }: RunPaths): Promise<number | undefined> {
  const names = (await readdir(folder).catch(unlessAbsent)) ?? []
  const fences = names.flatMap((name) => (name.startsWith('fence.') ? [Number(name.slice(6))] : []))
  return fences.sort((a, b) => b - a)[0]
}

/** The record of a run; undefined when there is none. */
export function readRecord(paths: RunPaths): RunRecord | undefined {
  const text = readSmall(paths.record)
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as RunRecord
  } catch {
    return cutOff
  }
}

/** A loss of power may leave the name of a run without its record: a run of an earlier boot, of which nothing is known. */
const cutOff: RunRecord = {
  cluster: '',
  operation: '',
  names: [],
  spec: '',
  boot: '',
  laidOutAt: 0,
  runtime: { kind: 'plain' },
  steps: [],
  wants: [],
  limits: usualLimits,
  places: [],
  base: '/',
  lent: [],
  broughtBytes: 0,
  stays: false,
  ground: '',
}

/** Where the secrets of a run lie. */
export async function privateOf(paths: RunPaths): Promise<string | undefined> {
  return await targetOf(paths.private)
}
