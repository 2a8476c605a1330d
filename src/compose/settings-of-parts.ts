/** Settings in the words of the parts that obey them. */
import { availableParallelism } from 'node:os'
import type { Policy } from '../broker/ports.ts'
import type { Account, Known } from '../http/authenticate.ts'
import type { BodyLimits } from '../http/body-limits.ts'
import type { AccessRule } from '../http/osb/access-review.ts'
import type { ServerOptions } from '../http/server.ts'
import type { Sources } from '../http/source.ts'
import { type Chance, systemClock } from '../kit/clock.ts'
import { deepEqual } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { Secret } from '../kit/secret.ts'
import { accessOf, everyTenant, type Grant, isPermission, type Roles, roles } from '../model/access.ts'
import type { TenantRule } from '../model/tenant-rule.ts'
import { accessPattern } from '../settings/auth-settings.ts'
import { keyFileOf } from '../settings/data-folder.ts'
import type { Settings } from '../settings/settings.ts'
import { type KeyRing, openKeyRing } from '../store/keys.ts'
import { makePrivateFolder } from '../store/private-folder.ts'
import type { MaintenanceLimits } from '../work/maintenance.ts'
import type { WorkCapacity, WorkLimits } from '../work/tools.ts'

const dayMs = 86_400_000

/** What the parts ask for whenever they need it, so that a reload changes it in one place. */
export interface Rules {
  policy(): Policy
  room(): WorkCapacity
  maintenance(): MaintenanceLimits
  change(settings: Settings): void
  /** What was decided for tenants by command. */
  takeTenants(stored: readonly TenantRule[]): void
}

export function makeRules(settings: Settings): Rules {
  let stored: readonly TenantRule[] = []
  const read = (from: Settings) => ({
    from,
    policy: policyOf(from, stored),
    room: roomOf(from),
    maintenance: maintenanceLimitsOf(from),
  })
  let now = read(settings)
  return {
    policy: () => now.policy,
    room: () => now.room,
    maintenance: () => now.maintenance,
    change: (fresh) => {
      now = read(fresh)
    },
    takeTenants: (rules) => {
      if (deepEqual(rules, stored)) return
      stored = rules
      now = read(now.from)
    },
  }
}

function policyOf(settings: Settings, stored: readonly TenantRule[]): Policy {
  const { operations, limits, quotas, tenants, sandbox, auth } = settings
  const { provision, update, deprovision, bind, unbind, action } = operations.deadline
  return {
    deadlineMs: { provision, update, deprovision, bind, unbind, invoke: action },
    queuedPerPlatformMax: limits.queuedPerPlatform,
    bindingSecrets: new Set(auth.users.flatMap(({ name, bindingSecrets }) => (bindingSecrets ? [name] : []))),
    sandbox: { registries: sandbox.registries, packagesMax: sandbox.packagesPerTenant },
    ...present({
      instancesPerPlatformMax: quotas.instancesPerPlatform,
      bindingsPerInstanceMax: quotas.bindingsPerInstance,
      instancesPerTenantMax: quotas.instancesPerTenant,
      bindingsPerTenantMax: quotas.bindingsPerTenant,
      queuedPerTenantMax: limits.queuedPerTenant,
      ordersPerMinutePerTenantMax: limits.ordersPerMinutePerTenant,
    }),
    tenants: [
      ...tenants.map(({ name, instances, bindings, queued, ordersPerMinute, ...said }) => ({
        name,
        ...present({ instancesMax: instances, bindingsMax: bindings }),
        ...present({ queuedMax: queued, ordersPerMinuteMax: ordersPerMinute, ...said }),
      })),
      // What the configuration decides for a name stands before what was decided for it by command.
      ...stored
        .filter(({ name }) => !tenants.some((one) => one.name === name))
        .map((rule) => ({ ...rule, isStored: true })),
    ],
  }
}

export function bodyLimitsOf({ http, limits }: Settings): BodyLimits {
  return { bytes: http.bodyLimit, depth: limits.jsonDepth, keys: limits.jsonKeys, text: limits.jsonText }
}

/** How the broker listens; the limits of connections may change while it does. */
export function listenerOf(
  { http }: Settings,
  parts: { readonly settings: () => Settings; readonly sources: Pick<Sources, 'trusts'> },
): ServerOptions {
  return {
    listen: http.listen,
    pathPrefix: http.pathPrefix ?? '',
    requestTimeoutMs: http.requestTimeout,
    headersTimeoutMs: http.headersTimeout,
    keepAliveMs: http.keepAliveTimeout,
    clock: systemClock,
    trusts: parts.sources.trusts,
    connectionLimits: () => {
      const { connectionsPerSource, connectionsPerAccount, bodyBytesPerSecond } = parts.settings().limits
      return {
        strangersPerSource: connectionsPerSource,
        perAccount: connectionsPerAccount,
        bodyBytesPerSecond,
      }
    },
  }
}

function roomOf({ operations }: Settings): WorkCapacity {
  return {
    concurrency: operations.concurrency || Math.max(4, 2 * availableParallelism()),
    perPlatform: operations.perPlatform,
  }
}

export function workLimitsOf({ operations }: Settings): WorkLimits {
  return {
    leaseMs: operations.lease,
    heartbeatMs: operations.heartbeat,
    stagesMax: 64,
    attemptsMax: 3,
  }
}

function maintenanceLimitsOf({ operations, retention }: Settings): MaintenanceLimits {
  return {
    overdueGraceMs: operations.stopGrace + 60_000,
    sweepEveryMs: operations.sweep,
    forgetEveryMs: 600_000,
    orphanAgeMs: 3_600_000,
    leftoverAgeMs: 10_000,
    retention: {
      operationDays: retention.operations / dayMs,
      logDays: retention.logs / dayMs,
      goneDays: retention.gone / dayMs,
      auditDays: retention.audit / dayMs,
    },
  }
}

/** Accounts and roles, as the settings have them. */
export function knownOf({ auth }: Settings): Known {
  const known = rolesOf(auth)
  const revealed = (...secrets: readonly (Secret | undefined)[]) =>
    secrets.flatMap((one) => (one === undefined ? [] : [one.reveal()]))
  const accounts = auth.users.map(
    ({
      name,
      role,
      tenants,
      tenant,
      certificate,
      requestsPerSecond,
      syncWait,
      apiInfoLocations,
      accessReview,
      password,
      previousPassword,
      token,
      previousToken,
    }): Account => ({
      name,
      role,
      kind: role === 'platform' ? 'platform' : 'user',
      access: accessOf(grantsOf(role, tenants), known),
      passwords: revealed(password, previousPassword),
      tokens: revealed(token, previousToken),
      apiInfoLocations,
      ...present({ accessRule: accessReview === undefined ? undefined : accessRuleOf(accessReview) }),
      ...present({ tenant, certificate, requestsPerSecond, syncWaitMs: syncWait }),
    }),
  )
  return { accounts, roles: known }
}

/** Of `create serviceinstances.servicecatalog.k8s.io`. */
function accessRuleOf(written: string): AccessRule {
  const [, verb = '', resource = '', group = '', subresource] = accessPattern.exec(written) ?? []
  return { verb, group, resource, ...present({ subresource }) }
}

function rolesOf({ roles: own }: Settings['auth']): Roles {
  return new Map([
    ...Object.entries(roles),
    ...own.map(({ name, permissions }) => [name, permissions.filter(isPermission)] as const),
  ])
}

/** In settings `operator` has always meant everything; there it is three roles. */
function grantsOf(role: string, tenants: readonly string[]): readonly Grant[] {
  const meant = role === 'operator' ? ['operator', 'admin', 'auditor'] : [role]
  const where = tenants.length === 0 ? [everyTenant] : tenants
  return where.flatMap((tenant) => meant.map((one) => ({ role: one, tenant })))
}

/** With several processes on one database every one of them needs the same ring, so it must be given. */
export function keyRingOf(settings: Settings, chance: Chance): KeyRing {
  const file = keyFileOf(settings)
  // The ring may lie in the data folder also when its place was named.
  makePrivateFolder(settings.dataDir)
  return openKeyRing(file, chance)
}
