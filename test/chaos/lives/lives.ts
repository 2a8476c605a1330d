/** Random lives of a real package, each at a broker and by commands side by side, against one model. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeRandom } from '../../simulation/world.ts'
import { type BrokerProcess, startBrokerProcess } from '../../support/broker-process.ts'
import { installedProgram } from '../../support/installed.ts'
import { leftBehind, untilSwept } from '../leftovers.ts'
import { impatient } from '../room.ts'
import { brokerDoor, type Standing, serviceName } from './broker-door.ts'
import { bundleDoor, runDoor } from './command-door.ts'
import type { Door } from './door.ts'
import { drawLife, type Step, writeLife } from './life.ts'
import { play, shorten } from './play.ts'
import { type LifeContract, type LifeWares, makeLifeWares } from './wares.ts'

export interface LivesWish {
  readonly contract: LifeContract
  readonly seed: number
  readonly count: number
  /** Played instead of lives that are drawn. */
  readonly steps?: readonly Step[]
  readonly told?: (life: number) => void
}

export interface Lived {
  readonly faults: readonly string[]
  readonly steps: number
}

/** Terraform takes seconds where others take a part of one. */
export const shareOf: Readonly<Record<LifeContract, number>> = { tweed: 0.45, cnab: 0.45, brokerpak: 0.1 }

/** Plays so many lives one after another, each at every door. */
export async function live({ contract, seed, count, steps: given, told }: LivesWish): Promise<Lived> {
  const faults: string[] = []
  let steps = 0
  const left = await inYard(contract, async (doors) => {
    for (let life = seed; life < seed + count; life++) {
      told?.(life - seed)
      const drawn = given ?? drawLife(makeRandom(life), doors[0]?.traits.able ?? [])
      for (const [at, door] of doors.entries()) {
        steps += drawn.length
        const fault = await liveOnce(door, drawn, `life-${life}-${at}`)
        if (fault !== undefined) faults.push(`life ${life} of ${fault}`)
      }
    }
  })
  return { faults: [...faults, ...left], steps }

  /** What went wrong, and how to see it again in as few steps as possible. */
  async function liveOnce(door: Door, drawn: readonly Step[], name: string): Promise<string | undefined> {
    const fault = await play(name, drawn, door)
    if (fault === undefined) return undefined
    let turn = 0
    const goesWrong = (one: readonly Step[]) => play(`${name}-${++turn}`, one, door)
    const short = await shorten(drawn.slice(0, fault.at + 1), goesWrong)
    const { what } = short.fault ?? fault
    const again = `npm run chaos -- lives --only ${contract} --play '${writeLife(short.steps)}'`
    return `${door.name}: ${what}\n${again}`
  }
}

/** A broker with the package, and folders for commands; answers what is left when they are gone. */
async function inYard(
  contract: LifeContract,
  use: (doors: readonly Door[]) => Promise<void>,
): Promise<readonly string[]> {
  const home = mkdtempSync(join(tmpdir(), 'chandler-lives-'))
  const [dataDir, temporary, commands] = [join(home, 'data'), join(home, 'temporary'), join(home, 'commands')]
  for (const folder of [dataDir, temporary, commands]) mkdirSync(folder, { mode: 0o700 })
  const wares = await makeLifeWares(contract, join(home, 'wares'))
  const config = join(home, 'chandler.yml')
  writeFileSync(config, configOf(wares))
  const environment = { ...impatient, TMPDIR: temporary }
  const start = () => startBrokerProcess({ dataDir, config, environment })
  let broker: BrokerProcess = await start()
  const standing: Standing = {
    get broker() {
      return broker
    },
    async killAndStart() {
      await broker.end('SIGKILL')
      broker = await start()
    },
  }
  const around = { home: commands, program: installedProgram() }
  const doors: Door[] = [brokerDoor(wares, standing), runDoor(wares, around)]
  if (contract === 'cnab') doors.push(bundleDoor(wares, around))
  try {
    await use(doors)
    const place = { dataDir, temporary, runs: [] }
    await untilSwept(place)
    await broker.end('SIGTERM')
    return await leftBehind(place)
  } finally {
    await broker.end('SIGKILL')
    rmSync(home, { recursive: true, force: true })
  }
}

function configOf(wares: LifeWares): string {
  const { contract, reference } = wares
  const service =
    contract === 'brokerpak' ? {} : { service: { name: serviceName(wares), description: 'Lived.' } }
  return `http: { listen: '127.0.0.1:0', adminListen: off }
engine: embedded
shutdown: { drainDelay: 0s, drain: 5s }
auth:
  users:
    - { name: conformance, password: conformance-of-osb, role: platform }
    - { name: operator, password: conformance-of-operators, role: operator }
catalog: ${JSON.stringify([{ package: reference, contract, ...service }])}
`
}
