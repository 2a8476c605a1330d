/** Reads case files, and plays many cases side by side in one theatre. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '../../src/kit/json.ts'
import type { Case } from './case.ts'
import { openImageShop } from './case-image.ts'
import { playCase, type Theatre } from './case-run.ts'
import type { TableFile } from './files.ts'

export const caseFormat = 'tweed-cases/1'

/** The cases of a file. */
export function casesOf({ document }: TableFile): readonly Case[] {
  return (document.cases ?? []) as unknown as readonly Case[]
}

export interface OpenTheatre extends Theatre {
  close(): void
}

/** A folder of its own with the base image; more settings go to every broker in it. */
export async function openTheatre(settings: JsonObject = {}): Promise<OpenTheatre> {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-tweed-'))
  return {
    folder,
    shop: await openImageShop(folder),
    settings,
    close: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export interface Played {
  readonly case: Case
  /** Empty when all is as the case says. */
  readonly faults: readonly string[]
}

/** Plays all cases, a few at a time, and tells of each when it is over. */
export async function* playAll(
  theatre: Theatre,
  cases: readonly Case[],
  atOnce: number,
): AsyncGenerator<Played> {
  const waiting = [...cases]
  const playing = new Map<Case, Promise<Played>>()
  while (waiting.length > 0 || playing.size > 0) {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      playing.set(next, play(theatre, next))
      if (playing.size >= atOnce) break
    }
    const over = await Promise.race(playing.values())
    playing.delete(over.case)
    yield over
  }
}

async function play(theatre: Theatre, one: Case): Promise<Played> {
  try {
    return { case: one, faults: await playCase(theatre, one) }
  } catch (error) {
    return { case: one, faults: [error instanceof Error ? (error.stack ?? error.message) : String(error)] }
  }
}
