/** HTTP as bytes: what no client library would send goes out as it is, and every answer is read back. */
import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export interface RawRequest {
  readonly bytes: Buffer
  /** Whether the sending side is closed behind it: a request that never ends would be waited for. */
  readonly ends: boolean
}

/** What has not come by then is no answer. */
const withinMs = 10_000

/** Sends bytes and answers everything that came back until the connection closed. */
export async function sendRaw(url: string, { bytes, ends }: RawRequest): Promise<readonly RawAnswer[]> {
  const { hostname, port } = new URL(url)
  const pieces: Buffer[] = []
  await new Promise<void>((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const late = setTimeout(() => {
      socket.destroy()
      resolve()
    }, withinMs)
    const done = (): void => {
      clearTimeout(late)
      resolve()
    }
    socket.on('data', (piece) => pieces.push(piece))
    socket.on('end', () => socket.destroy())
    // A server that refuses a request need not read all of it: what it said before counts.
    socket.on('error', done)
    socket.on('close', done)
    if (ends) socket.end(bytes)
    else socket.write(bytes)
  })
  return answersIn(Buffer.concat(pieces))
}

/** The answers in a stream of bytes, one after the other. */
function answersIn(bytes: Buffer): readonly RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let rest = bytes; rest.length > 0; ) {
    const end = rest.indexOf('\r\n\r\n')
    if (end < 0) break
    const [first = '', ...lines] = rest.subarray(0, end).toString('latin1').split('\r\n')
    const status = Number(first.split(' ')[1])
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const from = end + 4
    const length = bodyLength(status, headers, rest.length - from)
    answers.push({ status, headers, text: rest.subarray(from, from + length).toString('utf8') })
    rest = rest.subarray(from + length)
  }
  // An interim answer is not one.
  return answers.filter(({ status }) => status !== 100)
}

function bodyLength(status: number, headers: Readonly<Record<string, string>>, rest: number): number {
  if (status === 100 || status === 204 || status === 304) return 0
  const { 'content-length': length } = headers
  return length === undefined ? rest : Math.min(Number(length), rest)
}
