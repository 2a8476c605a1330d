/** Names of images as packages write them. */

/** Names without a host are Docker's. */
export function withHost(reference: string): string {
  const first = reference.split('/')[0] ?? ''
  const hasHost = reference.includes('/') && (/[.:]/.test(first) || first === 'localhost')
  if (hasHost) return reference
  return reference.includes('/') ? `docker.io/${reference}` : `docker.io/library/${reference}`
}
