/** Mistakes in patterns are told with file, line and what to do about them, as a user's lint tells them. */
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lintPath } from '../../src/authoring/sources/lint.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder, writeTree } from '../support/image.ts'
import { type Files, judged, type ToldFault, titleOf, toldFaults, withMistake } from '../support/planted.ts'
import { mistakes, wellMade } from './mistakes.ts'
import { spoilt } from './spoilt.ts'

const missing = ensurePrograms('busybox')
const place = freshFolder('mistakes', 'memory')
const listener = {
  signal: new AbortController().signal,
  log: () => Promise.resolve(),
  progress: () => undefined,
}
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** What the lint says of a folder with these files, sources relative to it. */
async function toldOf(
  files: Files,
  lane: number,
  spoil: (folder: string) => void = () => undefined,
): Promise<readonly ToldFault[]> {
  const folder = join(place, `${lane}/pattern`)
  rmSync(folder, { recursive: true, force: true })
  writeTree(folder, files)
  chmodSync(join(folder, 'root/pattern'), 0o755)
  spoil(folder)
  const { errors, warnings } = await lintPath(folder, join(place, `${lane}/data`), listener)
  return toldFaults([...errors, ...warnings]).map((one) => ({
    ...one,
    source: one.source.replace(`${folder}/`, ''),
  }))
}

const lanes = 4

/** What is said of each, several at a time: most of the time is spent waiting. */
async function toldOfEach<T>(
  items: readonly T[],
  told: (item: T, lane: number) => Promise<readonly ToldFault[]>,
): Promise<ReadonlyMap<T, readonly ToldFault[]>> {
  const answers = new Map<T, readonly ToldFault[]>()
  const queue = [...items]
  const work = async (lane: number): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift())
      answers.set(item, await told(item, lane))
  }
  await Promise.all(Array.from({ length: lanes }, (_, lane) => work(lane)))
  return answers
}

describe.skipIf(missing !== undefined)('with an engine', () => {
  let told: ReadonlyMap<unknown, readonly ToldFault[]> = new Map()
  beforeAll(async () => {
    const planted = await toldOfEach(mistakes, (one, lane) => toldOf(withMistake(wellMade, one), lane))
    const others = await toldOfEach(spoilt, ({ spoil }, lane) => toldOf(wellMade, lane, spoil))
    told = new Map<unknown, readonly ToldFault[]>([...planted, ...others])
  }, 1_200_000)

  test('what is doubtful keeps no pattern out of a catalog, and each finding has a code', async () => {
    const lane = join(place, 'codes')
    const folder = writeTree(join(lane, 'pattern'), {
      ...wellMade,
      'root/metadata.yml': wellMade['root/metadata.yml'].replace('writeOnly', 'writeonly'),
      'root/pattern': wellMade['root/pattern'].replace('"$BINDING"', '"$BINDINGS"'),
    })
    chmodSync(join(folder, 'root/pattern'), 0o755)
    const { errors, warnings } = await lintPath(folder, join(lane, 'data'), listener)

    expect(errors).toEqual([])
    expect(warnings.map(({ code }) => code)).toEqual(['tweed.metadata.doubtful', 'tweed.folder'])
  })

  test('nothing is said of a pattern without a mistake', async () => {
    expect(await toldOf(wellMade, 0)).toEqual([])
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
