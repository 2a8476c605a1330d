/** The bill of materials of a release, as CycloneDX. */
import type { Staged } from './stage.ts'

/** Names every package that is brought along. */
export function billOfMaterials({ version, bundled }: Staged): string {
  const component = (name: string, own: string, license: string) => ({
    type: 'library',
    'bom-ref': `pkg:npm/${encodeURIComponent(name).replace('%2F', '/')}@${own}`,
    name,
    version: own,
    purl: `pkg:npm/${encodeURIComponent(name).replace('%2F', '/')}@${own}`,
    licenses: [/^[A-Za-z0-9.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }],
  })
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...component('chandler', version, 'Apache-2.0'), type: 'application' } },
    components: [
      ...bundled.map((one) => component(one.name, one.version, one.license)),
      { ...component('node', process.versions.node, 'MIT'), type: 'platform' },
    ],
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
