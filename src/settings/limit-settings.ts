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
    doc: 'Refused credentials of one address before it must wait.',
    fallback: 10,
    least: 1,
    reload: true,
  }),
  concurrentRequests: integer({
    doc: 'Requests in the house at once; polls, deletes and health pass above it.',
    fallback: 512,
    least: 1,
    reload: true,
  }),
  queuedPerPlatform: integer({
    doc: 'Operations of one platform that wait.',
    fallback: 1000,
    least: 1,
    reload: true,
  }),
  minFreeDisk: size({ doc: 'Below this the broker is not ready.', fallback: '256MiB' }),
})

export const quotaSettings = group('How much there may be; refused with 403 above.', {
  instancesPerPlatform: optional(integer({ doc: 'Instances of one platform.', reload: true })),
  bindingsPerInstance: optional(integer({ doc: 'Bindings of one instance.', reload: true })),
})

export const retentionSettings = group('How long things are kept after they ended.', {
  gone: duration({ doc: 'The memory of deleted instances and bindings.', fallback: '30d', reload: true }),
  operations: duration({ doc: 'Finished operations.', fallback: '90d', reload: true }),
  logs: duration({ doc: 'Logs of runs.', fallback: '30d', reload: true }),
  audit: duration({ doc: 'Audit records.', fallback: '400d', reload: true }),
})
