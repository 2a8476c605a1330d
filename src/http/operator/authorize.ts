/** The one place where it is decided whether a caller may do what a route does; the judgement itself is the model's. */
import type { FastifyRequest } from 'fastify'
import {
  type Access,
  covers,
  everyTenant,
  isEverywhere,
  type Permission,
  permits,
  type Reach,
  reachOf,
} from '../../model/access.ts'
import { operatorsPlatform } from '../../model/instance.ts'
import { fail } from '../../model/problem.ts'
import { ruled, type TenantRule } from '../../model/tenant-rule.ts'
import type { Look } from '../../store/store.ts'
import type { Route } from './route.ts'

interface Asked {
  readonly access: Access
  readonly request: Pick<FastifyRequest, 'params' | 'query'>
  /** What the operator decided for tenants. */
  readonly rules: readonly TenantRule[]
}

/**
 * Problems: request.forbidden; and for a thing that the caller may not even see, what is answered for one that is not
 * there. Callers with rights everywhere cost no look.
 */
export async function authorize(
  look: Pick<Look, 'tenantOf'>,
  { needs, needsForced, everywhere }: Pick<Route, 'needs' | 'needsForced' | 'everywhere'>,
  { access, request, rules }: Asked,
): Promise<void> {
  const isForced = (request.query as { readonly force?: unknown }).force === 'true'
  const needed = [needs, ...(needsForced !== undefined && isForced ? [needsForced] : [])]
  for (const permission of needed) if (reachOf(access, permission).length === 0) refuse(permission)
  if (needed.every((permission) => isEverywhere(reachOf(access, permission)))) return
  if (everywhere) refuse(needs, everyTenant)
  const thing = await thingAt(look, request.params as Readonly<Record<string, string | undefined>>)
  if (thing === undefined) return
  if (thing.tenant === undefined || !permits(access, thing.seenBy, thing.tenant)) return thing.isUnknown()
  for (const permission of needed) if (!permits(access, permission, thing.tenant)) refuse(permission)
  if (needed.includes('read:logs') && !mayReadLogs(access, rules, thing.tenant))
    refuse('read:logs', everyTenant)
}

/** Whether logs of a tenant are told to a caller, or a part of them within something else: they may be for operators alone. */
export function mayReadLogs(access: Access, rules: readonly TenantRule[], tenant: string): boolean {
  if (isEverywhere(reachOf(access, 'read:logs'))) return true
  return permits(access, 'read:logs', tenant) && ruled(rules, tenant, 'logs') !== 'operators'
}

interface Thing {
  /** Undefined: it is not there. */
  readonly tenant: string | undefined
  readonly seenBy: Permission
  isUnknown(): never
}

/**
 * What an address is about; a binding is its instance's. Only the tenant is read: with a whole row, the time of the
 * answer would tell guesses of ids whether there is one.
 */
async function thingAt(
  look: Pick<Look, 'tenantOf'>,
  { platform, instance, operation }: Readonly<Record<string, string | undefined>>,
): Promise<Thing | undefined> {
  if (operation !== undefined) {
    return {
      tenant: await look.tenantOf({ operation }),
      seenBy: 'read:operations',
      isUnknown: () => fail('operation.unknown', operation),
    }
  }
  if (platform === undefined || instance === undefined) return undefined
  return {
    tenant: await look.tenantOf({ platform, instance }),
    seenBy: 'read:instances',
    isUnknown: () => fail('instance.unknown', instance),
  }
}

function refuse(permission: Permission, tenant?: string): never {
  return fail('request.forbidden', `${permission} is needed${tenant === undefined ? '' : ` in ${tenant}`}`)
}

/** Of another tenant nothing is told, whether it is there or not. Problems: request.forbidden. */
export function refuseForeign(reach: Reach, tenant: string): void {
  if (!reach.some((one) => covers(one, tenant)))
    fail('request.forbidden', `${tenant} is none of ${reach.join(', ')}`)
}

/**
 * The tenant that something new belongs to. Who has rights everywhere may leave that to the context; others order for
 * themselves, in a tenant of theirs. Problems: request.forbidden, request.malformed.
 */
export function placed(
  access: Access,
  { needs }: Pick<Route, 'needs'>,
  body: unknown,
): { readonly tenant?: string } {
  const { tenant, platform } = body as { readonly tenant?: string; readonly platform?: string }
  const reach = reachOf(access, needs)
  if (isEverywhere(reach)) return tenant === undefined ? {} : { tenant }
  if (platform !== undefined && platform !== operatorsPlatform) refuse(needs, everyTenant)
  const [only, ...more] = reach
  const isClear = only !== undefined && more.length === 0 && !only.endsWith('/*')
  const meant = tenant ?? (isClear ? only : undefined)
  if (meant === undefined)
    return fail('request.malformed', `name the tenant it is for: ${reach.join(', ')}`, {
      where: { source: 'body', pointer: '/tenant' },
    })
  return permits(access, needs, meant) ? { tenant: meant } : refuse(needs, meant)
}
