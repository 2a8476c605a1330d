/** Orders by commands without a server: in this process, or in one of their own where a step says to end it. */
import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { orders } from '../../../src/broker/orders.ts'
import { openLocalBroker } from '../../../src/local/local-broker.ts'
import { runMain } from '../../support/run-main.ts'
import { countOf } from './broker-door.ts'
import type { At, Door, Seen, Taken } from './door.ts'
import type { Step } from './life.ts'
import type { LifeWares } from './wares.ts'

export interface CommandPlace {
  readonly home: string
  /** The program as it is installed. */
  readonly program: string
}

interface Ran {
  /** Null: it was killed. */
  readonly exit: number | null
  readonly out: string
  readonly said: string
}

/** A command in a process of its own, ended with a signal once it says so. */
function elsewhere(
  program: string,
  words: readonly string[],
  { begins, signal }: { readonly begins: RegExp; readonly signal: NodeJS.Signals },
): Promise<Ran> {
  const { PATH, HOME, TMPDIR } = process.env
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH, HOME, TMPDIR },
  })
  const heard = { out: '', said: '' }
  let isCut = false
  const hear = (piece: Buffer): void => {
    heard.said += piece.toString()
    if (isCut || countOf(begins, heard.said) === 0) return
    isCut = true
    child.kill(signal)
  }
  child.stdout.on('data', (piece: Buffer) => {
    heard.out += piece.toString()
    hear(piece)
  })
  child.stderr.on('data', hear)
  // What outlives the command may hold its streams, so its exit counts.
  return new Promise((resolve) => child.once('exit', (exit) => resolve({ exit, ...heard })))
}

/** How a front door writes its commands, and shows what is there. */
interface Words {
  readonly of: (instance: string, step: Step, at: At) => readonly string[]
  readonly look: (instance: string) => Promise<Seen>
  readonly dataDir: () => string
}

function doorOf(wares: LifeWares, { program }: CommandPlace, words: Words): Pick<Door, 'take' | 'look'> {
  async function take(instance: string, step: Step, at: At): Promise<Taken> {
    const begins = wares.begins[step.verb]
    const before = await latest(words.dataDir(), instance)
    const ordered = [...words.of(instance, step, at), '--data-dir', words.dataDir()]
    const ran = at.cut
      ? await elsewhere(program, ordered, { begins, signal: at.cut === 'kill' ? 'SIGKILL' : 'SIGINT' })
      : await runMain(ordered)
    const whole =
      ran.exit === null
        ? await runMain(['attach', instance, '-o', 'json', '--data-dir', words.dataDir()])
        : ran
    const now = await latest(words.dataDir(), instance)
    const isNew = now !== undefined && now.id !== before?.id
    const said = `${ordered.join(' ')}: ${whole.exit} ${whole.said.slice(-800)}`
    const begun = countOf(begins, whole.said)
    if (whole.exit === 0) return { answer: 'done', begun, said, ...credentialsIn(step, whole.out) }
    if (!isNew) return { answer: 'refused', begun, said }
    return { answer: now.state === 'cancelled' ? 'cancelled' : 'failed', begun, said }
  }
  return { take, look: words.look }
}

function credentialsIn({ verb }: Step, out: string): Pick<Taken, 'credentials'> {
  if (verb !== 'bind') return {}
  const printed = JSON.parse(out) as { readonly binding?: { readonly credentials?: object } }
  return printed.binding?.credentials === undefined ? {} : { credentials: printed.binding.credentials }
}

async function latest(dataDir: string, instance: string) {
  const house = await openLocalBroker({ dataDir })
  try {
    const { items } = await house.store.look.operations({ platform: 'local', instance, most: 1 })
    return items[0]
  } finally {
    await house.close()
  }
}

const typed = (parameters: object): readonly string[] =>
  Object.entries(parameters).flatMap(([name, value]) => ['-p', `${name}:=${JSON.stringify(value)}`])

/** `chandler run`. */
export function runDoor(wares: LifeWares, place: CommandPlace): Door {
  const dataDir = join(place.home, `run-${wares.contract}`)
  const states = join(place.home, 'states')
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const run = (instance: string, action: string, more: readonly string[] = []) => [
    ...['run', wares.reference, action, '--name', instance, '-o', 'json'],
    ...more,
  ]
  const words: Words = {
    dataDir: () => dataDir,
    of: (instance, step, { wish }) => {
      const { verb, binding = 'a' } = step
      const parameters = typed(wares.parameters(verb, { ...wish, ...step }))
      switch (verb) {
        case 'provision':
        case 'update':
          return run(instance, verb, parameters)
        case 'repeat':
          return run(instance, 'update')
        case 'act':
          return run(instance, wares.action)
        case 'bind': {
          const wished = wares.parameters(verb, { fails: step.fails ?? '', slow: step.slow ?? '' })
          return run(instance, verb, ['--binding', binding, ...typed(wished)])
        }
        case 'unbind':
          return run(instance, verb, ['--binding', binding])
        case 'deprovision':
          return run(instance, verb)
        case 'move':
          return run(instance, 'import-state', typed({ state: stateOf(join(states, instance)) }))
      }
    },
    look: async (instance) => {
      const house = await openLocalBroker({ dataDir })
      const key = { platform: 'local', instance }
      try {
        const found = await house.store.look.instance(key)
        if (found === undefined || found.state === 'gone') return { state: 'absent', bindings: {} }
        const bindings = (await house.store.look.bindings(key)).filter(({ state }) => state !== 'gone')
        const outputs = await orders.outputs(house.store.look, key)
        const textOf = (name: string) => {
          const output = outputs.find((one) => one.name === name)
          return output && Buffer.from(output.content).toString().trim()
        }
        const [size, trail] = [textOf('size'), textOf('trail')]
        return {
          state: found.state,
          bindings: Object.fromEntries(bindings.map((one) => [one.binding, one.state])),
          ...(size === undefined ? {} : { size: Number(size) }),
          ...(trail === undefined ? {} : { trail }),
        }
      } finally {
        await house.close()
      }
    },
  }
  const door = doorOf(wares, place, words)
  const name = `${wares.contract} by commands`
  const traits = { ...wares.traits, answersAtOnce: false }
  return {
    ...{ name, traits, look: door.look },
    take: async (instance, step, at) => {
      if (step.verb === 'move') {
        const folder = join(states, instance)
        const exported = run(instance, 'export-state', ['--outputs', folder, '--data-dir', dataDir])
        const { exit, said } = await runMain(exported)
        if (exit !== 0) return { answer: 'refused', begun: 0, said }
      }
      return door.take(instance, step, at)
    },
  }
}

function stateOf(folder: string): string {
  const [name = ''] = readdirSync(folder)
  return readFileSync(join(folder, name), 'utf8')
}

const bundleWords = { provision: 'install', update: 'upgrade', repeat: 'upgrade' } as const

/** `chandler cnab`; a move goes to another data folder, by way of a claim store. */
export function bundleDoor(wares: LifeWares, place: CommandPlace): Door {
  let dataDir = join(place.home, 'cnab-0')
  let moves = 0
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const engine = ['-d', 'embedded', '-o', 'json']
  const words: Words = {
    dataDir: () => dataDir,
    of: (instance, step, { wish }) => {
      const { verb } = step
      const { reference } = wares
      const parameters = wares.parameters(verb, { ...wish, ...step })
      switch (verb) {
        case 'provision':
        case 'update':
          return ['cnab', bundleWords[verb], instance, reference, ...typed(parameters), ...engine]
        case 'repeat':
          return ['cnab', bundleWords[verb], instance, reference, ...engine]
        case 'deprovision':
          return ['cnab', 'uninstall', instance, reference, ...engine]
        case 'act':
          return ['cnab', 'invoke', instance, wares.action, reference, ...engine]
        default:
          return ['cnab', verb]
      }
    },
    look: async (instance) => {
      const { exit, out } = await runMain(['cnab', 'show', instance, '-o', 'json', '--data-dir', dataDir])
      if (exit !== 0) return { state: 'other', bindings: {} }
      const { state } = JSON.parse(out) as { readonly state: string }
      const listed = await runMain(['cnab', 'outputs', instance, '-o', 'json', '--data-dir', dataDir])
      const { items } = JSON.parse(listed.out) as {
        readonly items: readonly { readonly name: string; readonly value?: string }[]
      }
      const textOf = (name: string) => items.find((one) => one.name === name)?.value
      const [size, trail] = [textOf('size'), textOf('trail')]
      return {
        state: state === 'installed' ? 'ready' : 'other',
        bindings: {},
        ...(size === undefined ? {} : { size: Number(size) }),
        ...(trail === undefined ? {} : { trail: trail.trim() }),
      }
    },
  }
  const door = doorOf(wares, place, words)

  async function move(instance: string): Promise<Taken> {
    moves++
    const [store, to] = [join(place.home, `store-${moves}`), join(place.home, `cnab-${moves}`)]
    mkdirSync(store)
    mkdirSync(to, { mode: 0o700 })
    const exported = await runMain(['cnab', 'claims', 'export', store, instance, '--data-dir', dataDir])
    if (exported.exit !== 0) return { answer: 'refused', begun: 0, said: exported.said }
    const { exit, said } = await runMain(['cnab', 'claims', 'import', store, '--data-dir', to])
    if (exit !== 0) return { answer: 'failed', begun: 0, said }
    dataDir = to
    return { answer: 'done', begun: 0, said }
  }

  return {
    name: 'cnab by its own commands',
    look: door.look,
    traits: {
      ...wares.traits,
      able: ['provision', 'update', 'repeat', 'act', 'deprovision', 'move'],
      answersAtOnce: false,
      staysKnown: true,
      keepsFailedWish: true,
    },
    take: (instance, step, at) => (step.verb === 'move' ? move(instance) : door.take(instance, step, at)),
  }
}
