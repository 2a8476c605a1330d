import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startFlakyServer } from '../../../test/support/flaky-server.ts'
import { freshFolder, imageInLayout, writeTree } from '../../../test/support/image.ts'
import { toProblem } from '../../model/problem.ts'
import { ociManifest } from '../oci/media-types.ts'
import { copyPackage } from '../packages.ts'

const home = freshFolder('broken-copies')
let digest = ''
beforeAll(async () => {
  const root = writeTree(join(home, 'root'), { big: randomBytes(1_000_000) })
  ;({ digest } = await imageInLayout(join(home, 'layout'), 'v1', { root, settings: {} }))
})
afterAll(() => rmSync(home, { recursive: true, force: true }))

interface Asked {
  readonly from: number
  /** Whether this blob was asked for before. */
  readonly again: boolean
}

/** Sends what it is given and breaks the connection. */
function breakAfter(response: ServerResponse, bytes: Uint8Array): void {
  response.write(bytes, () => response.destroy())
}

type Manner = (response: ServerResponse, bytes: Buffer, asked: Asked) => void

const ranged: Manner = (response, bytes, { from }) =>
  response.writeHead(from > 0 ? 206 : 200, {
    'content-length': bytes.length - from,
    ...(from > 0 ? { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` } : {}),
  })

const manners: readonly (readonly [string, Manner, string])[] = [
  [
    'breaks off every 300 kB and knows ranges',
    (response, bytes, asked) => {
      ranged(response, bytes, asked)
      const rest = bytes.subarray(asked.from)
      if (rest.length <= 300_000) response.end(rest)
      else breakAfter(response, rest.subarray(0, 300_000))
    },
    'copied',
  ],
  [
    'breaks off once and knows no ranges',
    (response, bytes, { again }) => {
      response.writeHead(200, { 'content-length': bytes.length })
      if (again) response.end(bytes)
      else breakAfter(response, bytes.subarray(0, bytes.length / 2))
    },
    'copied',
  ],
  [
    'ends early without a word',
    (response, bytes, { from, again }) => {
      response.writeHead(from > 0 ? 206 : 200, from > 0 ? { 'content-range': `bytes ${from}-` } : {})
      response.end(bytes.subarray(from, again ? undefined : bytes.length / 2))
    },
    'copied',
  ],
  [
    'breaks off at the same place for ever',
    (response, bytes) => {
      response.writeHead(200, { 'content-length': bytes.length })
      breakAfter(response, bytes.subarray(0, bytes.length / 2))
    },
    'registry.unreachable',
  ],
  [
    'has a blob that is too short',
    (response, bytes) => response.end(bytes.subarray(0, bytes.length / 2)),
    'artifact.altered',
  ],
  [
    'goes on with other bytes',
    (response, bytes, asked) => {
      ranged(response, bytes, asked)
      if (asked.from > 0) response.end(randomBytes(bytes.length - asked.from))
      else breakAfter(response, bytes.subarray(0, bytes.length / 2))
    },
    'artifact.altered',
  ],
]

test.each(manners)('a copy from a registry that %s', async (manner, answer, expected) => {
  const seen = new Set<string>()
  const server = await startFlakyServer((request, response) => {
    const [, kind, name = ''] = /^\/v2\/team\/app\/(manifests|blobs)\/(.*)$/.exec(request.url ?? '') ?? []
    const path = join(home, 'layout/blobs/sha256', (name === 'v1' ? digest : name).replace('sha256:', ''))
    if (!existsSync(path)) return void response.writeHead(404).end()
    const bytes = readFileSync(path)
    if (kind === 'manifests') return void response.writeHead(200, { 'content-type': ociManifest }).end(bytes)
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const again = seen.has(name)
    seen.add(name)
    // The configuration is too small to be broken.
    if (bytes.length < 10_000) return void response.end(bytes)
    answer(response, bytes, { from, again })
  })
  const to = join(home, manner.replaceAll(' ', '-'))
  const copying = copyPackage(
    {
      from: `docker://${server.host}/team/app:v1`,
      to: `oci:${to}:v1`,
      signal: new AbortController().signal,
      progress: () => undefined,
    },
    { registries: {}, scratchFolder: join(home, 'scratch') },
  )
  const ended = await copying.then(
    (copied) => (copied.digest === digest ? 'copied' : copied.digest),
    (error: unknown) => toProblem(error).code,
  )
  await server.stop()

  expect(ended).toBe(expected)
  expect(existsSync(join(to, 'index.json'))).toBe(expected === 'copied')
})
