/** Canaries through commands that need no broker: what they print, what they leave, and what others on the machine could see. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { type ContractName, makePackage, type Told } from './packages.ts'
import { type Piece, watchProcesses } from './processes.ts'
import { searchFor } from './search.ts'
import { filesBelow } from './stage.ts'
import { readableBelow } from './story.ts'
import { marker } from './telltale.ts'

interface Call {
  readonly words: readonly string[]
  readonly fails?: boolean
  /** Its standard output is where a secret belongs. */
  readonly hands?: boolean
  /** It prints a log that was kept. */
  readonly isKept?: boolean
}

interface Around {
  readonly reference: string
  /** Files of parameters, as an ordinary and as a failing run gets them. */
  readonly good: string
  readonly bad: string
  /** Writes a document into a file that only its owner may read. */
  write(name: string, document: unknown): string
  readonly told: Told
}

interface Row {
  readonly contract: ContractName
  readonly missing: string | undefined
  /** Whether what is lent reaches the program. */
  readonly isLent: boolean
  readonly calls: (around: Around) => readonly Call[]
}

const generic = ({ reference, good, bad }: Around): readonly Call[] => [
  { words: ['run', reference, 'provision', '--parameters', good] },
  { words: ['run', reference, 'bind'], hands: true },
  { words: ['run', reference, 'unbind'] },
  { words: ['run', reference, 'deprovision'] },
  { words: ['--debug', 'run', reference, 'provision', '--name', 'bad', '--parameters', bad], fails: true },
]

const rows: readonly Row[] = [
  {
    contract: 'tweed',
    missing: ensurePrograms('busybox'),
    isLent: false,
    calls: (around) => [
      ...generic(around),
      { words: ['tweed', 'run', 'provision', around.reference, '--parameters', around.good] },
      { words: ['tweed', 'run', 'bind', around.reference], hands: true },
      { words: ['tweed', 'run', 'deprovision', around.reference] },
    ],
  },
  {
    contract: 'apb',
    missing: ensurePrograms('busybox', 'curl'),
    isLent: false,
    calls: ({ reference, good, bad }) => [
      { words: ['apb', 'run', 'provision', reference, '--parameters', good] },
      { words: ['apb', 'run', 'bind', reference], hands: true },
      { words: ['apb', 'run', 'deprovision', reference] },
      {
        words: ['--debug', 'apb', 'run', 'provision', reference, '--name', 'bad', '--parameters', bad],
        fails: true,
      },
    ],
  },
  {
    contract: 'cnab',
    missing: ensurePrograms('busybox'),
    isLent: true,
    calls: ({ reference, good, bad, write, told }) => {
      const [{ name, value } = { name: '', value: '' }] = told.lent
      const set = write('set.json', {
        schemaVersion: '1.0.1',
        name: 'set',
        credentials: [{ name, source: { value } }],
      })
      return [
        { words: ['cnab', 'install', 'one', reference, '--parameters', good, '-c', set] },
        { words: ['cnab', 'show', 'one', '-o', 'json'] },
        { words: ['cnab', 'logs', 'one'], isKept: true },
        { words: ['cnab', 'outputs', 'one', '-o', 'json'] },
        { words: ['cnab', 'invoke', 'one', 'bind', '-c', set], hands: true },
        { words: ['cnab', 'install', 'two', reference, '--parameters', good, '-c', set, '--dry-run'] },
        {
          words: ['--debug', 'cnab', 'install', 'bad', reference, '--parameters', bad, '-c', set],
          fails: true,
        },
        { words: ['cnab', 'logs', 'bad'], isKept: true },
        { words: ['cnab', 'uninstall', 'one', '-c', set] },
      ]
    },
  },
  {
    contract: 'toi',
    missing: ensurePrograms('busybox'),
    isLent: true,
    calls: ({ reference, good, bad, write, told }) => {
      const [{ value } = { value: '' }] = told.lent
      const lent = write('lent.json', { credentials: { target: { credentials: { KUBECONFIG: value } } } })
      const install = ['toi', 'package', 'install', reference, '-c', lent]
      return [
        { words: [...install, '-p', good] },
        { words: ['toi', 'package', 'bind', reference, '-c', lent], hands: true },
        { words: ['toi', 'list', '-o', 'json'] },
        { words: ['toi', 'package', 'uninstall', reference, '-c', lent] },
        { words: ['--debug', ...install, '-p', bad, '--name', 'bad'], fails: true },
      ]
    },
  },
  {
    contract: 'brokerpak',
    missing: hostEngine() === undefined ? 'terraform or tofu missing' : undefined,
    isLent: true,
    calls: ({ reference, told }) => {
      const names = told.lent.map(({ name }) => name)
      return [{ words: ['pak', 'test', reference, '--env', ...names, '--engine', 'host', '-o', 'json'] }]
    },
  },
]

const places = [
  'standard output, and standard error as it comes',
  'logs that were kept',
  'the data folder',
  'temporary files',
  'command lines of processes',
  'files that others may read while a program runs',
] as const
type Place = (typeof places)[number]

describe.each(rows.map((row) => [row.contract, row] as const))('%s', (contract, row) => {
  const set = `commands ${contract} ${randomBytes(8).toString('hex')}`
  const pieces: Record<Place, Piece[]> = {
    'standard output, and standard error as it comes': [],
    'logs that were kept': [],
    'the data folder': [],
    'temporary files': [],
    'command lines of processes': [],
    'files that others may read while a program runs': [],
  }
  const faults: string[] = []
  let folder = ''
  let told: Told

  beforeAll(async () => {
    if (row.missing !== undefined) return
    folder = freshFolder('commands')
    told = await makePackage(contract, join(folder, 'package'), set)
    const own = join(folder, 'own')
    for (const name of [own, join(folder, 'tmp'), join(folder, 'data')]) mkdirSync(name, { mode: 0o700 })
    const write = (name: string, document: unknown): string => {
      writeFileSync(join(own, name), JSON.stringify(document), { mode: 0o600 })
      return join(own, name)
    }
    const { reference, parameters, failing } = told
    const good = write('good.json', parameters)
    const bad = write('bad.json', { ...parameters, ...failing })
    const seen = new Map<string, Piece>()
    const watching = new AbortController()
    const watched = watchProcesses(seen, watching.signal, ['cmdline'])
    for (const call of row.calls({ reference, good, bad, write, told })) await carryOut(call)
    watching.abort()
    await watched
    pieces['command lines of processes'].push(...seen.values())
    pieces['the data folder'].push(...filesBelow(join(folder, 'data')))
    pieces['temporary files'].push(...filesBelow(join(folder, 'tmp')))
  }, 900_000)

  afterAll(() => {
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  async function carryOut({ words, fails = false, hands = false, isKept = false }: Call): Promise<void> {
    const data = ['--data-dir', join(folder, 'data')]
    const child = spawn(process.execPath, ['bin/chandler.mjs', ...words, ...data], {
      env: {
        ...process.env,
        ...Object.fromEntries(told.lent.map(({ name, value }) => [name, value])),
        TMPDIR: join(folder, 'tmp'),
        PATH: `${join(folder, 'package/programs')}:${process.env['PATH'] ?? ''}`,
      },
    })
    const [out, err]: [Buffer[], Buffer[]] = [[], []]
    child.stdout.on('data', (piece: Buffer) => out.push(piece))
    child.stderr.on('data', (piece: Buffer) => err.push(piece))
    let exit: number | null | undefined
    const ended = new Promise<void>((resolve) =>
      child.once('close', (code) => {
        exit = code
        resolve()
      }),
    )
    while (exit === undefined) {
      pieces['files that others may read while a program runs'].push(
        ...['data', 'tmp'].flatMap((name) => readableBelow(join(folder, name))),
      )
      await Promise.race([ended, pause(200)])
    }
    const name = words.slice(0, 4).join(' ')
    const texts = hands ? [Buffer.concat(err)] : [Buffer.concat(out), Buffer.concat(err)]
    pieces[isKept ? 'logs that were kept' : 'standard output, and standard error as it comes'].push(
      ...texts.map((bytes) => ({ name, bytes })),
    )
    if ((exit !== 0) !== fails)
      faults.push(`${words.join(' ')}: ${exit}\n${Buffer.concat(err).subarray(-2000)}`)
  }

  test.skipIf(row.missing !== undefined)(
    'every command ended as it should, and the program told everything',
    () => {
      const printed = Buffer.concat(
        pieces['standard output, and standard error as it comes'].map(({ bytes }) => bytes),
      ).toString()

      expect(faults).toEqual([])
      expect(printed).toContain(`end of ${marker}`)
      expect(printed.split(marker).length).toBeGreaterThan(told.given.length * 10)
    },
  )

  test.skipIf(row.missing !== undefined).each(places)('no secret is seen in: %s', (place) => {
    const lent = told.lent.map(({ value }) => value as unknown)
    const given = row.isLent ? told.given : told.given.filter(({ value }) => !lent.includes(value))
    // What a program makes is known to be secret when it hands it back, and hidden then in what is kept.
    const isLive = place === 'standard output, and standard error as it comes'
    const search = searchFor(isLive ? given : [...given, ...told.made])
    const hits = pieces[place].flatMap((piece) =>
      search
        .in(piece.bytes)
        .map(({ canary, text }) => `${canary.slice(set.length + 1)} in ${piece.name}: ${text}`),
    )

    expect(hits).toEqual([])
  })
})
