/** The log of one run of a bundle, among those of its operation. */
import type { RunNote } from '../../contracts/cnab/index.ts'
import type { LocalBroker } from '../local-broker.ts'

const rowsAtOnce = 1000

/** As far as it is kept. */
export async function logOfStage(
  { store }: LocalBroker,
  { operation, stage }: Pick<RunNote, 'operation' | 'stage'>,
): Promise<Uint8Array> {
  const runs = await store.look.runs(operation)
  const names = new Set(runs.filter((run) => run.stage === stage).map(({ name }) => name))
  const pieces: Uint8Array[] = []
  for (let after = 0; ; ) {
    const rows = await store.look.log(operation, after, rowsAtOnce)
    pieces.push(...rows.filter(({ run }) => names.has(run)).map(({ bytes }) => bytes))
    const last = rows.at(-1)
    if (rows.length < rowsAtOnce || last === undefined) return Buffer.concat(pieces)
    after = last.number
  }
}
