/** Service bundles: what the broker and its stand-in add to a container, and what listing a registry costs. */
import { ensurePrograms } from '../../test/support/debian.ts'
import { registryMissing } from '../../test/support/registry.ts'
import { tellAdded } from '../apb/added.ts'
import { refreshFigures } from '../apb/refresh.ts'
import { show } from '../figures.ts'

/** Prints the figures. */
export async function bench(): Promise<void> {
  const lacking = ensurePrograms('busybox', 'curl')
  if (lacking === undefined) await tellAdded()
  else console.log(`what is added to a container: not measured, ${lacking}`)
  const missing = registryMissing()
  if (missing === undefined) show(await refreshFigures())
  else console.log(`refresh of a source: not measured, ${missing}`)
}
