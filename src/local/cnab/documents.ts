/** Documents by name in a folder, each sealed: they hold what only their owner may see. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decode, encode } from '../../kit/codec.ts'
import type { Sealer } from '../../store/sealer.ts'
import type { Wrapping } from './claim-files.ts'

export interface Documents<T> {
  names(): readonly string[]
  find(name: string): T | undefined
  keep(name: string, document: T): void
  /** Answers whether there was one. */
  remove(name: string): boolean
}

/** Seals every file for its own place, so that none can be put in another's. */
export function sealedWrapping(sealer: Sealer): Wrapping {
  return {
    wrap: (place, bytes) => Buffer.from(encode(sealer.seal('cnab', place, bytes))),
    unwrap: (place, bytes) =>
      sealer.unseal('cnab', place, decode<Parameters<Sealer['unseal']>[2]>(Buffer.from(bytes).toString())),
  }
}

/** The documents of a folder, which need not be there yet. */
export function openDocuments<T>(folder: string, kind: string, { wrap, unwrap }: Wrapping): Documents<T> {
  const place = join(folder, kind)
  const fileOf = (name: string): string =>
    join(place, `${encodeURIComponent(name).replace(/^\./, '%2E')}.sealed`)
  return {
    names: () =>
      (existsSync(place) ? readdirSync(place) : [])
        .filter((name) => name.endsWith('.sealed'))
        .map((name) => decodeURIComponent(name.slice(0, -'.sealed'.length)))
        .sort(),
    find: (name) =>
      existsSync(fileOf(name))
        ? decode<T>(Buffer.from(unwrap(`${kind}/${name}`, readFileSync(fileOf(name)))).toString())
        : undefined,
    keep: (name, document) => {
      mkdirSync(place, { recursive: true, mode: 0o700 })
      writeFileSync(`${fileOf(name)}.new`, wrap(`${kind}/${name}`, Buffer.from(encode(document))), {
        mode: 0o600,
        flush: true,
      })
      renameSync(`${fileOf(name)}.new`, fileOf(name))
    },
    remove: (name) => {
      const was = existsSync(fileOf(name))
      rmSync(fileOf(name), { force: true })
      return was
    },
  }
}
