import { randomBytes } from 'node:crypto'
import { request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { type FlakyServer, type Respond, startFlakyServer } from '../../../test/support/flaky-server.ts'
import { registryMissing, startRegistry } from '../../../test/support/registry.ts'
import { toProblem } from '../../model/problem.ts'
import { collect } from '../archive/collect.ts'
import { digestOf } from '../digest.ts'
import { checked } from '../oci/checked.ts'
import { registrySource } from './registry-source.ts'
import { registryTarget } from './registry-target.ts'
import { openSession } from './session.ts'

const missing = registryMissing()
const { signal } = new AbortController()
const bytes = randomBytes(70_000_000)
const blob = { mediaType: 'application/octet-stream', digest: digestOf(bytes), size: bytes.length }

/** Sends the large blob to a server; answers the code of the problem, if there is one. */
async function send({ host }: FlakyServer): Promise<string> {
  const target = registryTarget({ host, repository: 'team/app' }, openSession(host, 'team/app', {}))
  async function* pieces(): AsyncIterable<Uint8Array> {
    for (let at = 0; at < bytes.length; at += 1_000_000) yield bytes.subarray(at, at + 1_000_000)
  }
  try {
    await target.writeBlob(blob, { open: () => checked(blob, pieces()) }, signal)
    return 'sent'
  } catch (error) {
    return toProblem(error).code
  } finally {
    await target.close()
  }
}

function countOf({ asked }: FlakyServer, method: string): number {
  return asked.filter((line) => line.startsWith(`${method} `)).length
}

type Cut = 'before' | 'within' | 'after' | 'never'

/** Passes requests on to a registry, and cuts the connection of the third chunk off. */
function passOn(registry: string, cut: Cut): Respond {
  let chunks = 0
  return (request, response) => {
    const isCut = request.method === 'PATCH' && ++chunks === 3
    if (isCut && cut === 'before') return void response.destroy()
    const [hostname, port] = registry.split(':')
    const { method, url, headers } = request
    const passed = ask({ hostname, port, method, path: url, headers }, (answer) => {
      if (isCut && cut === 'after') return void response.destroy()
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    if (isCut && cut === 'within')
      request.once('data', (piece) => passed.write(piece, () => passed.destroy()))
    else request.pipe(passed)
  }
}

test.skipIf(missing !== undefined).each<[Cut, readonly number[]]>([
  ['never', [1]],
  ['before', [1]],
  // This registry forgets the upload where it has other bytes than its last answer said.
  ['within', [1, 2]],
  ['after', [2]],
])('a real registry has a large blob in chunks where one breaks off: %s', async (cut, uploads) => {
  const registry = await startRegistry({})
  const front = await startFlakyServer(passOn(registry.host, cut))
  const sent = await send(front)
  const place = { host: registry.host, repository: 'team/app' }
  const source = registrySource(place, openSession(registry.host, 'team/app', {}))
  const back = await collect(checked(blob, (await source.blob(blob, 0, signal)).bytes), bytes.length)
  await Promise.all([source.close(), front.stop(), registry.stop()])

  expect(sent).toBe('sent')
  expect(digestOf(back)).toBe(blob.digest)
  expect(uploads).toContain(countOf(front, 'POST'))
  expect(countOf(front, 'PATCH')).toBeGreaterThanOrEqual(5)
})

interface Upload {
  readonly ranges: string[]
  readonly pieces: Buffer[]
}

/** A registry that keeps what arrived of a chunk, and tells how much that is. */
function keeping(
  upload: Upload,
  take: (request: IncomingMessage, response: ServerResponse) => boolean,
): Respond {
  return (request, response) => {
    const has = (): number => upload.pieces.reduce((sum, { length }) => sum + length, 0)
    const place = () => ({ location: '/v2/team/app/blobs/uploads/1', range: `0-${has() - 1}` })
    if (request.method === 'POST') return void response.writeHead(202, place()).end()
    if (request.method === 'GET') return void response.writeHead(204, place()).end()
    if (request.method === 'PATCH') upload.ranges.push(String(request.headers['content-range']))
    if (!take(request, response)) return
    request.on('data', (piece: Buffer) => upload.pieces.push(piece))
    request.on('end', () => response.writeHead(request.method === 'PUT' ? 201 : 202, place()).end())
  }
}

test('a chunk that breaks off goes on where the registry says', async () => {
  const upload: Upload = { ranges: [], pieces: [] }
  const chunk = 16 * 1024 * 1024
  const kept = 5_000_000
  const server = await startFlakyServer(
    keeping(upload, (request, response) => {
      if (upload.ranges.length !== 2) return true
      let left = kept
      request.on('data', (piece: Buffer) => {
        if (left > 0) upload.pieces.push(piece.subarray(0, left))
        left -= piece.length
        if (left <= 0) response.destroy()
      })
      return false
    }),
  )
  const sent = await send(server)
  await server.stop()

  expect(sent).toBe('sent')
  expect(digestOf(Buffer.concat(upload.pieces))).toBe(blob.digest)
  expect(upload.ranges.slice(0, 3)).toEqual([
    `0-${chunk - 1}`,
    `${chunk}-${2 * chunk - 1}`,
    `${chunk + kept}-${2 * chunk - 1}`,
  ])
})

test('a registry that takes no chunks is sent the whole', async () => {
  const upload: Upload = { ranges: [], pieces: [] }
  const server = await startFlakyServer(
    keeping(upload, ({ method }, response) => {
      if (method === 'PATCH') response.writeHead(405).end()
      return method !== 'PATCH'
    }),
  )
  const sent = await send(server)
  await server.stop()

  expect(sent).toBe('sent')
  expect(upload.ranges).toHaveLength(1)
  expect(digestOf(Buffer.concat(upload.pieces))).toBe(blob.digest)
})

test('a registry that breaks off each time is given up', async () => {
  const server = await startFlakyServer(
    keeping({ ranges: [], pieces: [] }, (_, response) => {
      response.destroy()
      return false
    }),
  )
  const sent = await send(server)
  await server.stop()

  expect(sent).toBe('registry.unreachable')
})
