/** Packages that authors offer to their own tenant, without a word in the configuration. */

export interface SandboxPackage {
  readonly tenant: string
  /** One of the tenant's own. */
  readonly name: string
  /** In a registry, with its digest. */
  readonly reference: string
  /** Where it should not be detected. */
  readonly contract?: string
  /** Other tenants that it is shared with, by an account that decides for tenants. */
  readonly sharedWith: readonly string[]
  /** The account that offered it. */
  readonly by: string
}

/** What such a package is called in this broker; no entry of a configuration has a name like it. */
export function sandboxName({ tenant, name }: Pick<SandboxPackage, 'tenant' | 'name'>): string {
  return `sandbox/${tenant}/${name}`
}
