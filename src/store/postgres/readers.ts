/** Reads: a few connections shared by all, each statement on the least busy one. */
import pg from 'pg'
import type { Row, Session, Value } from '../database.ts'
import { type Answer, ask, configOf, dialect, type LineOptions, nowOf } from './line.ts'
import { type Patience, patiently } from './patience.ts'
import type { Question } from './pipelined.ts'
import type { ServerTime } from './server-time.ts'
import { askTogether } from './together.ts'

interface Line {
  readonly client: Promise<pg.Client>
  busy: number
}

const linesMax = 2

export interface Readers {
  readonly session: Session
  close(): Promise<void>
}

/** Opens connections when they are first needed, and anew when they break. */
export function makeReaders(options: LineOptions, patience: Patience, time: ServerTime): Readers {
  const lines: Line[] = []
  const drop = (line: Line): void => {
    const at = lines.indexOf(line)
    if (at >= 0) lines.splice(at, 1)
  }
  const open = (): Line => {
    const client = new pg.Client(configOf(options))
    const line: Line = { client: client.connect().then(() => client), busy: 0 }
    client.on('error', () => drop(line))
    client.on('end', () => drop(line))
    line.client.catch(() => drop(line))
    lines.push(line)
    return line
  }
  const choose = (): Line => {
    const idle = lines.find((line) => line.busy === 0)
    if (idle !== undefined) return idle
    return lines.length < linesMax ? open() : lines.reduce((a, b) => (b.busy < a.busy ? b : a))
  }
  const onLine = async <T>(use: (client: pg.Client) => Promise<T>): Promise<T> => {
    const line = choose()
    line.busy++
    try {
      return await use(await line.client)
    } finally {
      line.busy--
    }
  }
  const read = (text: string, values: readonly Value[]): Promise<Answer> =>
    patiently(patience, () => onLine((client) => ask(client, text, values)))

  let gathered: Question[] = []
  const askGathered = (): void => {
    const questions = gathered
    gathered = []
    onLine((client) => askTogether(client, questions)).catch((error: unknown) => {
      for (const { failed } of questions) failed(error)
    })
  }
  const get = (text: string, values: readonly Value[]): Promise<Answer> =>
    patiently(
      patience,
      () =>
        new Promise<Answer>((answered, failed) => {
          if (gathered.length === 0) process.nextTick(askGathered)
          gathered.push({ text, values, first: true, answered, failed })
        }),
    )
  const askTime = async (): Promise<number> => {
    const told = time.asked()
    const now = nowOf((await read('SELECT now_ms() AS now', [])).rows[0])
    told(now)
    return now
  }
  return {
    session: {
      dialect,
      now: async () => time.reckoned() ?? askTime(),
      steps: () => time.steps(),
      get: async (text, ...values): Promise<Row | undefined> => (await get(text, values)).rows[0],
      all: async (text, ...values) => (await read(text, values)).rows,
      run: async (text, ...values) => (await read(text, values)).changed,
      send: async (text, ...values) => void (await read(text, values)),
    },
    close: async () => {
      for (const line of [...lines]) await line.client.then((client) => client.end()).catch(() => undefined)
    },
  }
}
