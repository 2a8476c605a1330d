/** Service bundles: what listing a registry costs. */
import { registryMissing } from '../../test/support/registry.ts'
import { refreshFigures } from '../apb/refresh.ts'
import { show } from '../figures.ts'

/** Prints the figures. */
export async function bench(): Promise<void> {
  const missing = registryMissing()
  if (missing === undefined) show(await refreshFigures())
  else console.log(`refresh of a source: not measured, ${missing}`)
}
