/** Which manifest was made in place of one of an older kind, remembered beside the content. */
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isDigest, splitDigest } from '../digest.ts'
import { makeFolder, readBounded, writeDurably } from './durable.ts'
import { isThere } from './use.ts'

const room = 'renewals'
/** A digest and nothing else. */
const bytesMax = 200

/** The digest of what was made in its place; it may have been swept since. */
export async function findRenewal(folder: string, digest: string): Promise<string | undefined> {
  const path = pathOf(folder, digest)
  if (!(await isThere(path))) return undefined
  const told = new TextDecoder().decode(await readBounded(path, bytesMax))
  return isDigest(told) ? told : undefined
}

/** Problems: artifact.unwritable. */
export async function keepRenewal(folder: string, digest: string, renewed: string): Promise<void> {
  await makeFolder(join(folder, room), 0o700)
  await writeDurably(pathOf(folder, digest), renewed)
}

/** Forgets all but what is to be kept. */
export async function sweepRenewals(
  folder: string,
  isKept: (digest: string, path: string) => Promise<boolean>,
): Promise<void> {
  for (const name of await readdir(join(folder, room)).catch(() => [])) {
    const path = join(folder, room, name)
    if (!(await isKept(name.replace('-', ':'), path))) await rm(path, { force: true })
  }
}

function pathOf(folder: string, digest: string): string {
  const { algorithm, hex } = splitDigest(digest)
  return join(folder, room, `${algorithm}-${hex}`)
}
