/** The support bundle of a machine whose broker does not run: settings, and the store where it can be opened. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { makeCatalog } from '../../broker/catalog.ts'
import { systemChance, systemClock } from '../../kit/clock.ts'
import { describeProblem, toProblem } from '../../model/problem.ts'
import { keyFileOf, storeUrlOf } from '../../settings/data-folder.ts'
import { secretsIn } from '../../settings/load.ts'
import type { Entry } from '../../settings/read.ts'
import type { Settings } from '../../settings/settings.ts'
import { openStore } from '../../store/index.ts'
import { openKeyRing } from '../../store/keys.ts'
import { examineRows } from '../examine-rows.ts'
import { type BundleParts, makeBundle } from './bundle.ts'
import type { SupportFile, SupportWish } from './file.ts'
import { aboutFile, settingsFile } from './machine-files.ts'

export interface MachineParts {
  readonly settings: Settings
  readonly entries: readonly Entry[]
  readonly version: string
  /** What is told besides: the words of doctor, a log. */
  readonly files: readonly SupportFile[]
}

/** Makes a bundle without a broker. Problems: operation.unknown. */
export async function bundleOfMachine(parts: MachineParts, wish: SupportWish): Promise<Uint8Array> {
  const { settings, entries, version, files } = parts
  const base = {
    ...{ version, clock: systemClock },
    files: [aboutFile(version), settingsFile(entries), ...files],
    secrets: secretsIn(settings).map((secret) => secret.reveal()),
    leftOut: [],
  }
  const opened = await openRows(settings)
  if ('missing' in opened) return makeBundle({ ...base, leftOut: [`the store: ${opened.missing}`] }, wish)
  try {
    return await makeBundle({ ...base, store: opened.rows }, wish)
  } finally {
    await opened.close()
  }
}

type Opened =
  | { readonly missing: string }
  | { readonly rows: NonNullable<BundleParts['store']>; close(): Promise<void> }

/** Nothing that is there is changed. */
async function openRows(settings: Settings): Promise<Opened> {
  if (settings.store.url === 'sqlite' && !existsSync(join(settings.dataDir, 'chandler.db')))
    return { missing: 'there is none yet' }
  try {
    // Opening a ring that is not there would make one.
    if (!existsSync(keyFileOf(settings))) return { missing: 'its key ring is not there' }
    const ring = openKeyRing(keyFileOf(settings), systemChance)
    const manner = { schema: 'as-is', timeTrustMs: 0 } as const
    const store = await openStore({ url: storeUrlOf(settings), keys: ring, clock: systemClock, ...manner })
    const findings = await examineRows(store.look, { clock: systemClock, ring })
    const catalog = makeCatalog([])
    return {
      rows: { store, findings, chance: systemChance, catalog: () => catalog },
      close: () => store.close(),
    }
  } catch (error) {
    return { missing: describeProblem(toProblem(error)) }
  }
}
