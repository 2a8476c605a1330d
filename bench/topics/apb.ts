/** Service bundles: what the broker and its stand-in add to a container, what listing a registry costs, how long authors wait. */
import { ensurePrograms } from '../../test/support/debian.ts'
import { registryMissing } from '../../test/support/registry.ts'
import { tellAdded } from '../apb/added.ts'
import { tellEdits } from '../apb/edit.ts'
import { refreshFigures } from '../apb/refresh.ts'
import { show } from '../figures.ts'

/** Prints the figures. */
export async function bench(): Promise<void> {
  const lacking = ensurePrograms('busybox', 'curl')
  if (lacking === undefined) {
    await tellAdded()
    await tellEdits()
  } else console.log(`what is added to a container, edits: not measured, ${lacking}`)
  const missing = registryMissing()
  if (missing === undefined) show(await refreshFigures())
  else console.log(`refresh of a source: not measured, ${missing}`)
}
