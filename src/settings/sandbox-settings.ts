/** Settings of sandboxes: what authors may offer to their own tenants. */
import { group, integer, texts } from './kinds.ts'

export const sandboxSettings = group(
  'What authors may offer to their own tenants, without a word in the catalog.',
  {
    registries: texts({
      doc: 'Registries whose packages authors may offer, as references write them, with their port. None, when empty: sandboxes are closed.',
      fallback: [],
      reload: true,
    }),
    packagesPerTenant: integer({
      doc: 'How many packages a tenant may have there.',
      fallback: 10,
      reload: true,
    }),
  },
)
