/** What the command line takes with a warning, or refuses as a finding of a lint. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { specOf } from '../apb/spec.ts'
import { freshFolder } from '../support/image.ts'
import { runMain } from '../support/run-main.ts'

const home = freshFolder('warned')
const at = (name: string) => join(home, name)

const claim = {
  schemaVersion: '1.0.0-DRAFT+b5ed2f3',
  id: '01EK00000000000000000000AA',
  installation: 'other',
  revision: '01EK00000000000000000000AB',
  created: '2020-04-18T01:02:03Z',
  action: 'dance',
  bundle: {
    ...{ schemaVersion: '1.0.0', name: 'other', version: '1.0.0' },
    invocationImages: [{ image: 'example.org/other:1.0.0', imageType: 'oci' }],
  },
}
const files: Readonly<Record<string, string>> = {
  'store/claims/other/01EK00000000000000000000AA.json': JSON.stringify(claim),
  'no-image/apb.yml': specOf('db-apb', { parameters: [] }),
}

beforeAll(() => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
})

const told = (words: readonly string[]) => runMain([...words, '--data-dir', at('data')])

test('records of an action that the bundle lacks are taken over with a warning that names them', async () => {
  const { exit, said } = await told(['cnab', 'claims', 'import', at('store')])

  expect(said).toContain(
    'claims/other/01EK00000000000000000000AA, /action: action "dance" is not defined in the bundle',
  )
  expect(exit).toBe(0)
})

test('a bundle without anything to build its image from is told by code', async () => {
  const { exit, said } = await told(['apb', 'lint', at('no-image'), '-o', 'json'])

  expect(said).toContain('"apb.folder"')
  expect(exit).toBe(9)
})
