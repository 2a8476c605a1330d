/** What may be decided for a tenant, by the names that API, command line and pages have for it. */

/** In the order in which people are shown them. */
export const decisions = [
  'services',
  'instances',
  'bindings',
  'queued',
  'ordersPerMinute',
  'engine',
  'network',
  'logs',
] as const
export type Decision = (typeof decisions)[number]
