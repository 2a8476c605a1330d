/** The Tweed contract: its tables row by row, its cases through a whole broker and a real engine. */
import { caseFormat, casesOf, openTheatre, playAll } from '../../tweed/cases.ts'
import { BrokerTables } from '../../tweed/broker-tables.ts'
import type { Theatre } from '../../tweed/case-run.ts'
import { readTables, type TableFile } from '../../tweed/files.ts'
import { judges, type Row } from '../../tweed/tables.ts'
import { ensurePrograms } from '../../support/debian.ts'
import { freshFolder } from '../../support/image.ts'
import { startPodman, type TestEngine } from '../../support/podman.ts'
import type { Topic, Verdict } from '../topic.ts'

export const topic: Topic = {
  home: ['test/corpus/tweed'],
  async *run(paths, options) {
    const files = readTables(paths)
    for (const { path, format, document } of files) {
      const judge = judges[format]
      if (judge === undefined) continue
      for (const row of document.cases ?? []) yield await verdict(`${path} ${row.id}`, () => judge(row))
    }
    for (const { path, format } of files) {
      const told = ofTheOriginal[format]
      if (told !== undefined) yield { name: `${path} ${told.list}`, outcome: 'skipped', why: told.why }
    }
    const tables = files.filter(({ format }) => format in brokerTables)
    const cases = files.filter(({ format }) => format === caseFormat).flatMap(casesOf)
    if (cases.length + tables.length === 0) return
    const missing = ensurePrograms('busybox')
    if (missing !== undefined) {
      for (const { id } of cases) yield { name: id, outcome: 'skipped', why: missing }
      return
    }
    const engine = options.get('engine') ?? 'embedded'
    const daemon = engine === 'docker' ? await daemonFor(process.env) : undefined
    const theatre = await openTheatre({ engine })
    try {
      if (tables.length > 0) yield* judgeWithBroker(theatre, tables)
      for await (const { case: one, faults } of playAll(theatre, cases, Number(options.get('at-once') ?? 3))) {
        const name = `${one.id} ${one.title}`
        yield faults.length === 0
          ? { name, outcome: 'passed' }
          : { name, outcome: 'failed', why: faults.join('\n') }
      }
    } finally {
      theatre.close()
      await daemon?.stop()
    }
  },
}

/** The socket that DOCKER_HOST names, or a Podman of our own. */
async function daemonFor(environment: NodeJS.ProcessEnv): Promise<TestEngine | undefined> {
  if (environment['DOCKER_HOST'] !== undefined) return undefined
  const missing = ensurePrograms('podman', 'runc')
  if (missing !== undefined) throw new Error(`${missing}; DOCKER_HOST may name a socket`)
  const podman = await startPodman(freshFolder('e'))
  environment['DOCKER_HOST'] = `unix://${podman.socket}`
  return podman
}

type BrokerJudge = 'judgeOsb' | 'judgeInstance' | 'judgeBinding' | 'judgeIdentifier'

/** Tables that are about a broker, not about the contract alone: their lists of rows, and what judges them. */
const brokerTables: Readonly<
  Record<string, readonly (readonly [list: string, judge: BrokerJudge])[]>
> = {
  'tweed-osb-outcomes/1': [['cases', 'judgeOsb']],
  'tweed-states/1': [
    ['instance', 'judgeInstance'],
    ['binding', 'judgeBinding'],
  ],
  'tweed-identifiers/1': [['instanceIds', 'judgeIdentifier']],
}

/** Lists that tell of the original broker, for a client that speaks its own interface. */
const ofTheOriginal: Readonly<Record<string, { readonly list: string; readonly why: string }>> = {
  'tweed-identifiers/1': {
    list: 'prefixes',
    why: 'a setting of the original broker; nothing is put before identifiers here',
  },
  'tweed-native-api/1': { list: 'calls', why: "the original broker's own interface, which is not spoken here" },
}

async function* judgeWithBroker(theatre: Theatre, files: readonly TableFile[]): AsyncGenerator<Verdict> {
  const tables = await BrokerTables.open(theatre)
  try {
    for (const { path, format, document } of files) {
      for (const [list, judge] of brokerTables[format] ?? []) {
        const rows = (document[list] ?? []) as readonly Row[]
        const named = rows.map((row, i) => ({ row, name: `${path} ${row.id ?? `${list} ${i + 1}`}` }))
        const judged = named.map(({ row, name }) =>
          verdict(name, async () => (await tables[judge](row)).join('\n') || undefined),
        )
        for (const one of judged) yield await one
      }
    }
  } finally {
    await tables.close()
  }
}

async function verdict(name: string, judge: () => Promise<string | undefined>): Promise<Verdict> {
  try {
    const why = await judge()
    return why === undefined ? { name, outcome: 'passed' } : { name, outcome: 'failed', why }
  } catch (error) {
    return { name, outcome: 'failed', why: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}
