/** Brings an image into the engine: through our own store, which verifies it, and under a name of ours. */
import { createReadStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isObject } from '../../kit/json.ts'

import { present } from '../../kit/present.ts'
import { fail } from '../../model/problem.ts'

import type { Watch } from '../engine.ts'
import { type ImageCopier, type ImageProgram, withDigest } from '../image-program.ts'
import { bytesOf, type Docker, expectSuccess } from './client.ts'

export interface EngineImage {
  /** The name the engine knows it by. */
  readonly name: string
  readonly entrypoint: readonly string[]
  readonly environment: readonly string[]
  readonly user: string
  readonly workingFolder: string
}

const repository = 'chandler.local/image'

/** Makes the image present. Problems: those of the artifact store, engine.start-failed. */
export async function ensureImage(
  docker: Docker,
  program: ImageProgram,
  {
    copier,
    scratch,
    watch,
  }: { readonly copier: ImageCopier; readonly scratch: string; readonly watch: Watch },
): Promise<EngineImage> {
  const tag = program.digest.replace(/^[a-z0-9]+:/, '')
  const name = `${repository}:${tag}`
  const there = await lookAtImage(docker, name)
  if (there !== undefined) return there
  const folder = await mkdtemp(join(scratch, 'image-'))
  try {
    const file = join(folder, 'image.tar')
    watch.progress('loading the image into the engine')
    await copier.copy({
      from: withDigest(program),
      to: `docker-archive:${file}:${name}`,
      ...present({ platform: program.platform }),
      signal: watch.signal,
      progress: (text) => watch.progress(text),
    })
    const body = createReadStream(file, { highWaterMark: 256 * 1024 })
    const answer = await docker.stream({ method: 'POST', path: '/images/load', query: { quiet: '1' }, body })
    const text = (await bytesOf(answer)).toString()
    if ((answer.statusCode ?? 500) >= 300)
      fail('engine.start-failed', `load the image: ${text.slice(0, 400)}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return (
    (await lookAtImage(docker, name)) ??
    fail('engine.start-failed', `the engine did not keep the image ${name}`)
  )
}

async function lookAtImage(docker: Docker, name: string): Promise<EngineImage | undefined> {
  const answer = await docker.ask({ method: 'GET', path: `/images/${name}/json` })
  if (answer.status === 404) return undefined
  expectSuccess(answer, 'look at the image')
  const config = isObject(answer.body) && isObject(answer.body['Config']) ? answer.body['Config'] : {}
  const texts = (key: string): readonly string[] => {
    const value = config[key]
    return Array.isArray(value) ? value.map(String) : []
  }
  const text = (key: string): string => (typeof config[key] === 'string' ? config[key] : '')
  return {
    name,
    entrypoint: texts('Entrypoint'),
    environment: texts('Env'),
    user: text('User'),
    workingFolder: text('WorkingDir') || '/',
  }
}
