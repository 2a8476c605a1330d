/** manifest.yml: what a pak holds, read so that the manifests of all originals fit. */
import type { JsonObject } from '../../kit/json.ts'
import { type Decoder, flagAt, itemsAt, textAt, textMapAt, textsAt, wholeAt } from './decode.ts'

export interface Manifest {
  readonly packversion: number | undefined
  readonly name: string
  readonly version: string
  readonly metadata: Readonly<Record<string, string>>
  readonly platforms: readonly Platform[]
  readonly binaries: readonly Binary[]
  readonly definitions: readonly string[]
  readonly parameters: readonly { readonly name: string; readonly description: string }[]
  /** Names that must be set in the environment of the broker. */
  readonly requiredEnvironment: readonly string[]
  /** Environment variable to configuration key. */
  readonly environmentMapping: Readonly<Record<string, string>>
  readonly upgradePath: readonly string[]
  readonly providerReplacements: Readonly<Record<string, string>>
}

export interface Platform {
  readonly os: string
  readonly arch: string
}

export interface Binary {
  readonly name: string
  readonly version: string
  readonly source: string
  readonly urlTemplate: string
  readonly provider: string
  readonly isDefault: boolean
}

const known: Readonly<Record<string, readonly string[]>> = {
  manifest: [
    'packversion',
    'name',
    'version',
    'metadata',
    'platforms',
    'terraform_binaries',
    'service_definitions',
    'parameters',
    'required_env_variables',
    'env_config_mapping',
    'terraform_upgrade_path',
    'terraform_state_provider_replacements',
  ],
  platforms: ['os', 'arch'],
  terraform_binaries: ['name', 'version', 'source', 'url_template', 'provider', 'default'],
  parameters: ['name', 'description'],
  terraform_upgrade_path: ['version'],
}

/** The names of all fields. */
export const manifestFields: readonly string[] = Object.values(known).flat()

/** Reads a manifest; what has the wrong type is among the decoder's faults. */
export function readManifest(decode: Decoder, from: JsonObject): Manifest {
  return {
    packversion: wholeAt(decode, from, 'packversion', ''),
    name: textAt(decode, from, 'name', ''),
    version: textAt(decode, from, 'version', ''),
    metadata: textMapAt(decode, from, 'metadata', ''),
    platforms: itemsAt(decode, [from, 'platforms', ''], (item, path) => ({
      os: textAt(decode, item, 'os', path),
      arch: textAt(decode, item, 'arch', path),
    })),
    binaries: itemsAt(decode, [from, 'terraform_binaries', ''], (item, path) => ({
      name: textAt(decode, item, 'name', path),
      version: textAt(decode, item, 'version', path),
      source: textAt(decode, item, 'source', path),
      urlTemplate: textAt(decode, item, 'url_template', path),
      provider: textAt(decode, item, 'provider', path),
      isDefault: flagAt(decode, item, 'default', path),
    })),
    definitions: textsAt(decode, from, 'service_definitions', ''),
    parameters: itemsAt(decode, [from, 'parameters', ''], (item, path) => ({
      name: textAt(decode, item, 'name', path),
      description: textAt(decode, item, 'description', path),
    })),
    requiredEnvironment: textsAt(decode, from, 'required_env_variables', ''),
    environmentMapping: textMapAt(decode, from, 'env_config_mapping', ''),
    upgradePath: itemsAt(decode, [from, 'terraform_upgrade_path', ''], (item, path) =>
      textAt(decode, item, 'version', path),
    ),
    providerReplacements: textMapAt(decode, from, 'terraform_state_provider_replacements', ''),
  }
}

/** Unknown fields, with their paths. */
export function unknownFields(from: JsonObject): readonly string[] {
  const lists = ['platforms', 'terraform_binaries', 'parameters', 'terraform_upgrade_path']
  const nested = lists.flatMap((list) =>
    (Array.isArray(from[list]) ? from[list] : []).flatMap((item, i) =>
      Object.keys(item ?? {})
        .filter((key) => !known[list]?.includes(key))
        .map((key) => `${list}[${i}].${key}`),
    ),
  )
  return [...Object.keys(from).filter((key) => !known['manifest']?.includes(key)), ...nested]
}

/** The entries that are engines: OpenTofu, or Terraform in older paks. */
export function enginesOf(manifest: Manifest): readonly Binary[] {
  return manifest.binaries.filter(({ name }) => name === 'tofu' || name === 'terraform')
}

/** The engine that new instances are made with. */
export function defaultEngine(manifest: Manifest): Binary | undefined {
  const engines = enginesOf(manifest)
  return engines.find(({ isDefault }) => isDefault) ?? engines.at(-1)
}

/** Whether an entry is a provider. */
export function isProvider({ name }: Binary): boolean {
  return name.startsWith('terraform-provider-')
}

/** HOST/NAMESPACE/TYPE of a provider, or undefined where its address has too many parts. */
export function providerAddress(binary: Binary): string | undefined {
  const type = binary.name.replace(/^terraform-provider-/, '')
  const parts = (binary.provider === '' ? type : binary.provider).split('/')
  if (parts.length > 3) return undefined
  return [...['registry.terraform.io', 'hashicorp'].slice(0, 3 - parts.length), ...parts].join('/')
}
