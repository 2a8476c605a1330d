/** Mistakes in patterns are told with file, line and what to do about them, as a user's lint tells them. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PathLint } from '../../src/authoring/sources/lint.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder, writeTree } from '../support/image.ts'
import { lintsOf } from '../support/lints.ts'
import { type Files, judged, type ToldFault, titleOf, toldFaults, withMistake } from '../support/planted.ts'
import { mistakes, wellMade } from './mistakes.ts'
import { spoilt } from './spoilt.ts'

const missing = ensurePrograms('busybox')
const place = freshFolder('mistakes', 'memory')
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** Writes a pattern into a folder of its own. */
function written(files: Files, spoil: (folder: string) => void = () => undefined): string {
  const folder = mkdtempSync(join(place, 'pattern-'))
  writeTree(folder, files)
  chmodSync(join(folder, 'root/pattern'), 0o755)
  spoil(folder)
  return folder
}

/** What a lint says of a folder, with sources relative to the folder. */
function toldIn(folder: string, { errors, warnings }: PathLint): readonly ToldFault[] {
  return toldFaults([...errors, ...warnings]).map((one) => ({
    ...one,
    source: one.source.replace(`${folder}/`, ''),
  }))
}

describe.skipIf(missing !== undefined)('with an engine', () => {
  const told = new Map<unknown, readonly ToldFault[]>()
  const doubtful: Files = {
    ...wellMade,
    'root/metadata.yml': wellMade['root/metadata.yml'].replace('writeOnly', 'writeonly'),
    'root/pattern': wellMade['root/pattern'].replace('"$BINDING"', '"$BINDINGS"'),
  }
  let ofDoubtful: PathLint | undefined

  beforeAll(async () => {
    const folders = new Map<unknown, string>([
      [wellMade, written(wellMade)],
      [doubtful, written(doubtful)],
      ...mistakes.map((one) => [one, written(withMistake(wellMade, one))] as const),
      ...spoilt.map((one) => [one, written(wellMade, one.spoil)] as const),
    ])
    const lints = await lintsOf([...folders.values()], join(place, 'data'))
    for (const [i, [one, folder]] of [...folders].entries()) {
      const lint = lints[i]
      if (lint !== undefined) told.set(one, toldIn(folder, lint))
      if (one === doubtful) ofDoubtful = lint
    }
  }, 3_600_000)

  test('what is doubtful keeps no pattern out of a catalog, and each finding has a code', () => {
    expect(ofDoubtful?.errors).toEqual([])
    expect(ofDoubtful?.warnings.map(({ code }) => code)).toEqual(['tweed.metadata.doubtful', 'tweed.folder'])
  })

  test('nothing is said of a pattern without a mistake', () => {
    expect(told.get(wellMade)).toEqual([])
  })

  test('there are a hundred mistakes', () => {
    expect(mistakes.length).toBeGreaterThanOrEqual(100)
  })

  test.each(mistakes.map((mistake) => [titleOf(mistake), mistake] as const))('%s', (_title, mistake) => {
    const heard = told.get(mistake) ?? []
    const { all, fix, place, expected } = judged(wellMade, mistake, heard)

    expect(all).toMatch(mistake.says)
    expect(place).toEqual(expected)
    expect(fix).toMatch(mistake.fix)
    expect(heard).toHaveLength(1)
  })

  test.each(spoilt.map((one) => [one.title, one] as const))('%s', (_title, one) => {
    expect(told.get(one)).toEqual([
      {
        source: one.told,
        line: one.line,
        text: expect.stringMatching(one.says),
        fix: expect.stringMatching(one.fix),
      },
    ])
  })
})
