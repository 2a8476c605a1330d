/** What a source folder asks to be packed, and from where. */
import { expect, test } from 'vitest'
import { archive, definition, manifest, thing } from '../../../test/brokerpak/pak.ts'
import { notesOf } from './notes.ts'
import { packingOf } from './pack.ts'

test.each([
  [
    'OpenTofu comes from its own releases, into a folder of its version',
    (text: string) => text,
    {
      name: 'tofu',
      from: 'https://github.com/opentofu/opentofu/releases/download/v1.6.0/tofu_1.6.0_linux_amd64.zip',
      into: 'bin/linux/amd64/1.6.0',
    },
  ],
  [
    'what a template names is filled in',
    (text: string) =>
      text.replace(
        'source: https://example.com/tofu.zip',
        'url_template: "./${name}-${version}-${os}-${arch}"',
      ),
    { name: 'tofu', from: './tofu-1.6.0-linux-amd64', into: 'bin/linux/amd64/1.6.0' },
  ],
])('%s', async (_fact, change, program) => {
  const pkg = await thing(change)
  const source = archive({ 'manifest.yml': change(manifest), 'thing.yml': definition })

  expect((await packingOf(source, notesOf(pkg))).programs).toEqual([program])
})

test.each([
  ['logo.png', 'image/png'],
  ['logo.JPEG', 'image/jpeg'],
  ['./img/logo.webp', 'image/webp'],
])('the image %s goes into its definition as %s', async (file, type) => {
  const change = (text: string) => text.replace('https://example.com/i.png', `file://${file}`)
  const pkg = await thing(change)
  const path = file.replace('./', '')
  const source = archive({ 'manifest.yml': manifest, 'thing.yml': change(definition), [path]: 'picture' })

  const { documents } = await packingOf(source, notesOf(pkg))
  const picture = Buffer.from('picture').toString('base64')
  expect(documents.map(({ text }) => text).join()).toContain(`image_url: data:${type};base64,${picture}`)
})
