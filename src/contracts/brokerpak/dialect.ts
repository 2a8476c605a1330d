/** Which original a manifest was written for; it picks defaults and what --strict demands. */
import type { JsonObject } from '../../kit/json.ts'
import { enginesOf, type Manifest } from './manifest.ts'
import { compareVersions } from './versions.ts'

/** superset: nothing tells. */
export type Origin = 'v1' | 'csb' | 'superset'

const csbFields = [
  'required_env_variables',
  'env_config_mapping',
  'terraform_upgrade_path',
  'terraform_state_provider_replacements',
]

/** Looks for the signs of either broker; neither marks its manifests. */
export function originOf(document: JsonObject, manifest: Manifest): Origin {
  if (csbFields.some((field) => document[field] !== undefined)) return 'csb'
  if (manifest.binaries.some(({ isDefault, provider }) => isDefault || provider !== '')) return 'csb'
  const [engine] = enginesOf(manifest)
  if (engine?.name === 'tofu') return 'csb'
  if (engine?.name === 'terraform') return compareVersions(engine.version, '0.12') < 0 ? 'v1' : 'csb'
  return manifest.binaries.some(({ source }) => source === '') ? 'csb' : 'superset'
}
