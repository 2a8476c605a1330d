/** Settings that bound things: requests, runs, queues, quotas, and how long things are kept. */
import { duration, group, integer, optional, size } from './kinds.ts'

export const limitSettings = group('Upper bounds.', {
  jsonDepth: integer({ doc: 'Nesting of a request body.', fallback: 64, least: 1 }),
  jsonKeys: integer({
    doc: 'Keys in a request body, in all its objects together.',
    fallback: 10_000,
    least: 1,
  }),
  jsonText: size({ doc: 'A text or a key in a request body.', fallback: '256KiB' }),
  requestsPerSecond: integer({
    doc: 'Requests of one account; 0 is unlimited. Never counts polls, deletes and health.',
    fallback: 0,
    reload: true,
  }),
  failedLoginsPerSecond: integer({
    doc: 'Wrong passwords for one account from one address before that address must wait.',
    fallback: 10,
    least: 1,
    reload: true,
  }),
  concurrentRequests: integer({
    doc: 'Admitted requests at once. Polls, deletes, health and followed logs need no place among them.',
    fallback: 512,
    least: 1,
    reload: true,
  }),
  concurrentPerAccount: integer({
    doc: 'The same of one account.',
    fallback: 128,
    least: 1,
    reload: true,
  }),
  concurrentPerSource: integer({
    doc: 'The same from one address (one /64 of IPv6); behind a proxy in `http.trustedProxies`, the one it names.',
    fallback: 256,
    least: 1,
    reload: true,
  }),
  followersPerAccount: integer({
    doc: 'Logs that one account follows at once.',
    fallback: 32,
    least: 1,
    reload: true,
  }),
  connectionsPerSource: integer({
    doc: 'Connections from one address on which no account was admitted yet; the oldest gives way. Proxies in `http.trustedProxies` have no such bound.',
    fallback: 256,
    least: 1,
    reload: true,
  }),
  connectionsPerAccount: integer({
    doc: 'Connections of one account; the one that was idle longest gives way.',
    fallback: 1024,
    least: 1,
    reload: true,
  }),
  bodyBytesPerSecond: size({
    doc: 'A request body that comes slower, after its first five seconds, is given up with 408.',
    fallback: '1KiB',
    reload: true,
  }),
  queuedPerPlatform: integer({
    doc: 'Operations of one platform that wait.',
    fallback: 1000,
    least: 1,
    reload: true,
  }),
  queuedPerTenant: optional(
    integer({ doc: 'The same of each tenant that `tenants` gives no other number.', least: 1, reload: true }),
  ),
  ordersPerMinutePerTenant: optional(
    integer({
      doc: 'Orders of each tenant, likewise, within a minute and over all brokers; deletes and unbinds are always taken.',
      least: 1,
      reload: true,
    }),
  ),
  minFreeDisk: size({ doc: 'Below this the broker is not ready.', fallback: '256MiB' }),
})

export const quotaSettings = group('How many there may be; an order beyond that is refused with 403.', {
  instancesPerPlatform: optional(integer({ doc: 'Instances of one platform.', reload: true })),
  instancesPerTenant: optional(
    integer({ doc: 'Instances of each tenant that `tenants` gives no other number.', reload: true }),
  ),
  bindingsPerTenant: optional(integer({ doc: 'The same of bindings.', reload: true })),
  bindingsPerInstance: optional(integer({ doc: 'Bindings of one instance.', reload: true })),
})

export const retentionSettings = group('How long things are kept after they ended.', {
  gone: duration({ doc: 'The memory of deleted instances and bindings.', fallback: '30d', reload: true }),
  operations: duration({ doc: 'Finished operations.', fallback: '90d', reload: true }),
  logs: duration({ doc: 'Logs of runs.', fallback: '30d', reload: true }),
  audit: duration({ doc: 'Audit records.', fallback: '400d', reload: true }),
})
