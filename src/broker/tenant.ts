/** Which tenant an order belongs to: the one that is given, or the one that its platform's context names. */
import { sha256 } from '../kit/hash.ts'
import type { JsonObject } from '../kit/json.ts'

interface Placed {
  readonly platform: string
  readonly context: JsonObject
  readonly organization: string
  readonly space: string
}

const longest = 128

/**
 * The tenant of an order without a given one: the platform, then organisation and space or cluster and namespace.
 * The platform is part of it, so that no platform can order into the tenants of another one.
 */
export function tenantOf({ platform, context, organization, space }: Placed): string {
  const [outer, inner] =
    context['platform'] === 'kubernetes'
      ? [context['clusterid'], context['namespace']]
      : [context['organization_guid'] ?? organization, context['space_guid'] ?? space]
  return [platform, outer, inner].flatMap(partOf).join('/')
}

/** What separates parts, and what grants mean by a star, is written otherwise. */
function partOf(value: unknown): readonly string[] {
  if (typeof value !== 'string' || value === '') return []
  const text = value.toWellFormed()
  if (text.length > longest) return [sha256(text)]
  return [text.replace(/[%/*\s]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`)]
}
