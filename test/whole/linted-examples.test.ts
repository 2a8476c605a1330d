/** The examples are what authors begin with: lint finds nothing to mend in them. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { sourcesAt } from '../../src/authoring/sources/kind.ts'
import { lintPath } from '../../src/authoring/sources/lint.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'

const missing = ensurePrograms('busybox', 'curl', 'postgres', 'psql')
const folders = readdirSync('examples', { withFileTypes: true })
  .filter((group) => group.isDirectory())
  .flatMap((group) =>
    readdirSync(join('examples', group.name)).map((name) => join('examples', group.name, name)),
  )
  .filter((folder) => sourcesAt(folder) !== undefined)

test('there are examples of every contract', () => {
  const kinds = folders.map((folder) => sourcesAt(folder)?.kind)

  expect([...new Set(kinds)].sort()).toEqual(['apb', 'brokerpak', 'cnab', 'toi', 'tweed'])
})

test.skipIf(missing !== undefined).each(folders)('%s has nothing to mend', async (folder) => {
  const listener = {
    signal: new AbortController().signal,
    log: () => Promise.resolve(),
    progress: () => undefined,
  }
  const { errors, warnings } = await lintPath(folder, freshFolder('linted'), listener)

  expect([...errors, ...warnings]).toEqual([])
})
