/** The terminal: what goes to standard output and error, whether a person is looking, questions and signals. */
const { env } = process

/** Whether a stream leads to a person. */
export function isTerminal(stream: 'stdout' | 'stderr' | 'stdin'): boolean {
  return process[stream].isTTY === true && env['TERM'] !== 'dumb'
}

/** Whether colours may be used on a stream. */
export function hasColour(stream: 'stdout' | 'stderr'): boolean {
  if (env['NO_COLOR']) return false
  if (env['FORCE_COLOR'] && env['FORCE_COLOR'] !== '0') return true
  return isTerminal(stream)
}

/** Results. */
export function print(text: string): void {
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

/** Everything else. */
export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Bytes as they are. */
export function printBytes(bytes: Uint8Array): void {
  process.stdout.write(bytes)
}

/** Writes over the current line of a terminal. */
export function sayOver(text: string): void {
  process.stderr.write(`\r\u001b[2K${text}`)
}

export function columns(): number {
  return Number(env['COLUMNS']) || process.stdout.columns || 100
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const
export type Colour = keyof typeof codes

export function coloured(stream: 'stdout' | 'stderr', colour: Colour, text: string): string {
  return hasColour(stream) ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text
}

/** Asks a question with yes or no; no when there is no terminal. */
export async function confirm(question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline/promises')
  const reader = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await reader.question(`${question} [y/N] `)
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    reader.close()
  }
}

/** Asks for a secret without showing it. */
export async function askSecret(question: string): Promise<string> {
  process.stderr.write(question)
  process.stdin.setRawMode?.(true)
  let typed = ''
  try {
    for await (const bytes of process.stdin) {
      for (const sign of String(bytes)) {
        if (sign === '\r' || sign === '\n') return typed
        if (sign === '\u0003') process.exit(130)
        typed = sign === '\u007f' ? typed.slice(0, -1) : typed + sign
      }
    }
    return typed
  } finally {
    process.stdin.setRawMode?.(false)
    process.stdin.pause()
    process.stderr.write('\n')
  }
}

/** Everything that is piped in. */
export async function readStdin(): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of process.stdin) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces).toString()
}
