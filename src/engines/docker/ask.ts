/** Runs a program inside a running container and reads its answer. */
import { isObject } from '../../kit/json.ts'
import { bytesOf, type Docker } from './client.ts'

const answerBytesMax = 1024 * 1024

/** What it printed when it succeeded; undefined when it did not, or the container does not run. */
export async function ask(
  docker: Docker,
  container: string,
  argv: readonly string[],
): Promise<Uint8Array | undefined> {
  const json = { AttachStdout: true, AttachStderr: true, Cmd: argv }
  const made = await docker.ask({ method: 'POST', path: `/containers/${container}/exec`, json })
  const id = isObject(made.body) ? made.body['Id'] : undefined
  if (made.status !== 201 || typeof id !== 'string') return undefined
  const call = { method: 'POST', path: `/exec/${id}/start`, json: { Detach: false, Tty: false } } as const
  const answer = await docker.stream(call)
  if (answer.statusCode !== 200) return undefined
  const printed = stdoutOf(await bytesOf(answer, answerBytesMax))
  const ended = await docker.ask({ method: 'GET', path: `/exec/${id}/json` })
  const exit = isObject(ended.body) ? ended.body['ExitCode'] : undefined
  return exit === 0 ? printed : undefined
}

/** Takes stdout out of the engine's frames: a header of eight bytes (stream, three zeros, length), then the bytes. */
export function stdoutOf(framed: Buffer): Uint8Array {
  const pieces: Buffer[] = []
  for (let at = 0; at + 8 <= framed.length; ) {
    const length = framed.readUInt32BE(at + 4)
    if (framed[at] === 1) pieces.push(framed.subarray(at + 8, at + 8 + length))
    at += 8 + length
  }
  return new Uint8Array(Buffer.concat(pieces))
}
