/** Links to things, by what the API says of them. */
import { href } from './router.ts'

interface InstanceKey {
  readonly platform: string
  readonly instance: string
}

/** An instance, or one of its tabs. */
export function instanceLink({ platform, instance }: InstanceKey, tab?: string): string {
  return href(`/instances/${encodeURIComponent(platform)}/${encodeURIComponent(instance)}`, { tab })
}

/** The page of a form about an instance. */
export function instancePage(
  { platform, id }: { readonly platform: string; readonly id: string },
  form: 'update' | 'bind',
): string {
  return href(`/instances/${encodeURIComponent(platform)}/${encodeURIComponent(id)}/${form}`)
}

/** A service of the catalog. */
export function serviceLink(name: string): string {
  return href(`/catalog/${encodeURIComponent(name)}`)
}

export function operationLink(id: string): string {
  return href(`/operations/${encodeURIComponent(id)}`)
}

export function tenantLink(name: string): string {
  return href(`/tenants/${encodeURIComponent(name)}`)
}

export function packageLink(name: string): string {
  return href(`/packages/${encodeURIComponent(name)}`)
}
