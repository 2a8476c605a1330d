/** Commands without a server, killed at each commit of their store: the next one finds what they left, and ends it, once. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openLocalBroker } from '../../src/local/local-broker.ts'
import { installedProgram } from '../support/installed.ts'
import { noteStarts } from '../support/sim-starts.ts'
import { type CommandContract, type CommandWork, makeWork } from './command-works.ts'
import { foldersOfRuns, leftBehind } from './leftovers.ts'

export interface Kill {
  readonly when: 'before' | 'after'
  readonly commit: number
}

interface Ran {
  /** Null: it was killed. */
  readonly exit: number | null
  readonly out: string
  readonly err: string
}

interface Stage {
  readonly contract: CommandContract
  readonly work: CommandWork
  readonly dataDir: string
  readonly temporary: string
  /** The program as it is installed. */
  readonly program: string
  /** How often programs began for an instance. */
  begun(instance: string): Promise<number>
}

/** A package of a contract, and a data folder of its own. */
async function setStage(contract: CommandContract, home: string, program: string): Promise<Stage> {
  const [dataDir, temporary] = [join(home, 'data'), join(home, 'temporary')]
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  mkdirSync(temporary)
  const starts = noteStarts(dataDir)
  return {
    contract,
    work: await makeWork(contract, join(home, 'package')),
    dataDir,
    temporary,
    program,
    begun: async (instance) =>
      (await operationsOf(dataDir, instance))
        .map(({ id, log }) =>
          contract === 'sim' ? starts(id).length : log.split(/(?:^|: )begin /m).length - 1,
        )
        .reduce((sum, times) => sum + times, 0),
  }
}

/** Carries a command out in a process of its own; killed where told. */
function command(stage: Stage, words: readonly string[], kill?: Kill): Promise<Ran> {
  const { program, dataDir, temporary } = stage
  const hook = kill === undefined ? [] : ['--import', join(import.meta.dirname, 'kill-at-commit.ts')]
  const { PATH, HOME } = process.env
  const child = spawn(process.execPath, [...hook, program, ...words, '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...{ PATH, HOME, TMPDIR: temporary },
      ...(kill === undefined ? {} : { KILL_AT: `${kill.when} ${kill.commit}` }),
    },
  })
  const said = { out: '', err: '' }
  child.stdout.on('data', (piece: Buffer) => (said.out += piece.toString()))
  child.stderr.on('data', (piece: Buffer) => (said.err += piece.toString()))
  // What outlives the command may hold its streams, so its exit counts.
  return new Promise((resolve) => child.once('exit', (exit) => resolve({ exit, ...said })))
}

/** One order, killed there, and what the next commands make of it. Answers faults, and whether it came to the kill at all. */
async function orderUnderKill(
  stage: Stage,
  order: 'make' | 'remove',
  instance: string,
  kill: Kill,
): Promise<{ readonly wasKilled: boolean; readonly faults: readonly string[] }> {
  const words = stage.work[order](instance)
  const begunBefore = await stage.begun(instance)
  const first = await command(stage, words, kill)
  const wasKilled = first.exit === null
  const faults: string[] = []
  const wanted = async (next: readonly string[]): Promise<void> => {
    const { exit, err } = await command(stage, next)
    if (exit !== 0) faults.push(`${next.join(' ')} ended with ${exit}: ${err.slice(-600)}`)
  }
  if (!wasKilled && first.exit !== 0) faults.push(`it ended with ${first.exit}: ${first.err.slice(-600)}`)
  if (wasKilled) {
    const listed = await command(stage, ['attach', '-o', 'json'])
    if (listed.exit !== 0) faults.push(`attach ended with ${listed.exit}: ${listed.err.slice(-600)}`)
    else if (listed.out.includes(`"instance": "${instance}"`)) await wanted(['attach', instance])
    else if ((await isThere(stage, instance)) !== (order === 'make')) await wanted(words)
  }
  if ((await isThere(stage, instance)) !== (order === 'make')) faults.push(`${instance} is not as ordered`)
  const begun = (await stage.begun(instance)) - begunBefore
  if (begun !== 1) faults.push(`its program began ${begun} times`)
  const at = `${stage.contract} ${order}, killed ${kill.when} commit ${kill.commit}`
  return { wasKilled, faults: faults.map((fault) => `${at}: ${fault}`) }
}

/** A package of a contract under kills in a folder of its own; everything that went wrong. */
export async function killedCommands(
  contract: CommandContract,
  kills: Iterable<Kill>,
  program = installedProgram(),
): Promise<readonly string[]> {
  const home = mkdtempSync(join(tmpdir(), 'chandler-killed-'))
  try {
    const stage = await setStage(contract, home, program)
    return await (stage.work.trial === undefined
      ? livesUnderKills(stage, kills)
      : trialsUnderKills(stage, stage.work.trial, kills))
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** A trial that is killed is told of by the next command, with how to end it; its program does nothing twice. */
async function trialsUnderKills(
  stage: Stage,
  trial: readonly string[],
  kills: Iterable<Kill>,
): Promise<readonly string[]> {
  const faults: string[] = []
  const wanted = async (words: readonly string[]): Promise<Ran> => {
    const ran = await command(stage, words)
    if (ran.exit !== 0) faults.push(`${words.join(' ')} ended with ${ran.exit}: ${ran.err.slice(-600)}`)
    return ran
  }
  for (const kill of kills) {
    const { exit, err } = await command(stage, trial, kill)
    if (exit !== null) {
      if (exit !== 0) faults.push(`it ended with ${exit}: ${err.slice(-600)}`)
      break
    }
    for (let tries = 0; tries < 3; tries++) {
      const { out, err: said } = await wanted(['attach'])
      const underWay = /example-[\w-]+/.exec(out)?.[0]
      const left = /^(example-[\w-]+) was left/m.exec(said)?.[1]
      const name = underWay ?? left
      if (name === undefined) break
      await wanted(underWay === undefined ? stage.work.remove(name) : ['attach', name])
      const begun = await stage.begun(name)
      const most = underWay === undefined ? 2 : begun
      if (begun > most) faults.push(`${name} began ${begun} times`)
      if (underWay !== undefined && tries === 2) faults.push(`${name} does not end`)
    }
  }
  return [...faults, ...(await leftAfterSweep(stage))]
}

/** An instance made and removed under kills at these commits, until a command has none so late. */
async function livesUnderKills(stage: Stage, kills: Iterable<Kill>): Promise<readonly string[]> {
  const faults: string[] = []
  for (const kill of kills) {
    const instance = `${kill.when}-${kill.commit}`
    const made = await orderUnderKill(stage, 'make', instance, kill)
    const removed = await orderUnderKill(stage, 'remove', instance, kill)
    faults.push(...made.faults, ...removed.faults)
    if (!made.wasKilled && !removed.wasKilled) break
  }
  return [...faults, ...(await leftAfterSweep(stage))]
}

/** What a killed command left of a run whose operation has ended, a later command takes away once that is some seconds old. */
async function leftAfterSweep(stage: Stage): Promise<readonly string[]> {
  for (let tries = 0; tries < 10 && foldersOfRuns(stage).length > 0; tries++) {
    await pause(2000)
    await command(stage, stage.work.make('later'))
    await command(stage, stage.work.remove('later'))
  }
  return leftBehind({ ...stage, runs: [] })
}

/** Before and after each commit there is. */
export function* everyCommit(): Generator<Kill> {
  for (let commit = 1; ; commit++) {
    yield { when: 'before', commit }
    yield { when: 'after', commit }
  }
}

async function isThere(stage: Stage, name: string): Promise<boolean> {
  const { work, dataDir } = stage
  if (work.shown !== undefined)
    return work.shown.isThere.test((await command(stage, work.shown.words(name))).out)
  const house = await openLocalBroker({ dataDir })
  try {
    const found = await house.store.look.instance({ platform: 'local', instance: name })
    return found !== undefined && found.state === 'ready'
  } finally {
    await house.close()
  }
}

interface Told {
  readonly id: string
  readonly log: string
}

async function operationsOf(dataDir: string, instance: string): Promise<readonly Told[]> {
  const house = await openLocalBroker({ dataDir })
  try {
    const { items } = await house.store.look.operations({ platform: 'local', instance, most: 100 })
    return await Promise.all(
      items.map(async ({ id }) => {
        const rows = await house.store.look.log(id, 0, 1000)
        return { id, log: Buffer.concat(rows.map(({ bytes }) => bytes)).toString() }
      }),
    )
  } finally {
    await house.close()
  }
}
