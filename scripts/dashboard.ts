/** The dashboard for Grafana, made from a table of its panels. */

interface Panel {
  readonly title: string
  /** What the reader should make of it. */
  readonly about: string
  readonly unit: 'short' | 's' | 'bytes' | 'percentunit' | 'reqps'
  /** PromQL, and what each line is called. */
  readonly lines: readonly (readonly [expression: string, legend: string])[]
  readonly kind?: 'stat' | 'timeseries'
}

type Row = readonly [title: string, panels: readonly Panel[]]

const chosen = '{job=~"$job",instance=~"$instance"}'
const rate = (figure: string, by: string) => `sum by (${by}) (rate(${figure}${chosen}[$__rate_interval]))`
const worst = (figure: string) => `max(${figure}${chosen})`
const quantile = (figure: string, share: number, by = '') =>
  `histogram_quantile(${share}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${figure}_bucket${chosen}[$__rate_interval])))`

const rows: readonly Row[] = [
  [
    'Right now',
    [
      stat(
        'Takes writes',
        'Below 1 nothing is accepted and nothing ends.',
        `min(chandler_store_writable${chosen})`,
      ),
      stat('Held back', 'Operations that wait for an operator.', worst('chandler_operations_quarantined')),
      stat('Under way', 'Operations that run.', `sum(chandler_operations_running${chosen})`),
      stat('Waiting', 'Operations in the queue.', `sum(chandler_operations_queued${chosen})`),
      stat(
        'Oldest waiting',
        'Above five minutes there are too few workers.',
        worst('chandler_operations_oldest_queued_seconds'),
        's',
      ),
      stat(
        'Oldest running',
        'Compare it with the deadlines.',
        worst('chandler_operations_oldest_running_seconds'),
        's',
      ),
    ],
  ],
  [
    'Orders',
    [
      panel('Accepted', 'Orders that were written down.', 'short', [
        [rate('chandler_operations_accepted_total', 'kind'), '{{kind}}'],
      ]),
      panel('Ended', 'How operations ended.', 'short', [
        [rate('chandler_operations_finished_total', 'outcome'), '{{outcome}}'],
      ]),
      panel('Why they failed', 'Problem codes of operations that did not succeed.', 'short', [
        [
          `sum by (reason) (rate(chandler_operations_finished_total{job=~"$job",instance=~"$instance",outcome!="succeeded"}[$__rate_interval]))`,
          '{{reason}}',
        ],
      ]),
      panel('From order to end', 'The median and the slowest twentieth.', 's', [
        [quantile('chandler_operation_duration_seconds', 0.5), 'half'],
        [quantile('chandler_operation_duration_seconds', 0.95), '95 %'],
      ]),
      panel('Time in programs of packages', 'The slowest twentieth by contract.', 's', [
        [quantile('chandler_run_duration_seconds', 0.95, 'format'), '{{format}}'],
      ]),
      panel('What the broker adds', 'The slowest twentieth by phase; the objective is a second.', 's', [
        [quantile('chandler_operation_overhead_seconds', 0.95, 'phase'), '{{phase}}'],
      ]),
    ],
  ],
  [
    'Requests',
    [
      panel('Requests', 'By what they ask for.', 'reqps', [
        [rate('http_server_request_duration_seconds_count', 'http_route'), '{{http_route}}'],
      ]),
      panel('Share of server errors', 'The objective is 99.95 % without.', 'percentunit', [
        [
          `sum(rate(http_server_request_duration_seconds_count{job=~"$job",instance=~"$instance",http_response_status_code=~"5.."}[$__rate_interval])) / sum(rate(http_server_request_duration_seconds_count${chosen}[$__rate_interval]))`,
          'failed',
        ],
      ]),
      panel('Time to answer', 'The slowest hundredth.', 's', [
        [
          quantile('http_server_request_duration_seconds', 0.99, 'http_request_method'),
          '{{http_request_method}}',
        ],
      ]),
      panel('Turned away', 'Logins, limits and quotas.', 'short', [
        [rate('chandler_auth_failures_total', 'reason'), 'login: {{reason}}'],
        [rate('chandler_rate_limited_total', 'scope'), 'limit: {{scope}}'],
        [rate('chandler_quota_refusals_total', 'scope'), 'quota: {{scope}}'],
      ]),
    ],
  ],
  [
    'Nodes, store and engines',
    [
      panel('Store', 'Time to answer, the slowest hundredth by question.', 's', [
        [quantile('chandler_store_query_duration_seconds', 0.99, 'query'), '{{query}}'],
      ]),
      panel('Disk', 'What is free, and what store and images take.', 'bytes', [
        [`min by (volume) (chandler_disk_free_bytes${chosen})`, 'free: {{volume}}'],
        [worst('chandler_store_size_bytes'), 'store'],
        [worst('chandler_content_store_bytes'), 'images'],
      ]),
      panel('Engines', 'Whether the last probe went well.', 'short', [
        [`min by (engine) (chandler_engine_up${chosen})`, '{{engine}}'],
      ]),
      panel('Taken over, lost, fenced', 'All of it is zero while nodes neither die nor pause.', 'short', [
        [`sum(rate(chandler_takeovers_total${chosen}[$__rate_interval]))`, 'taken over'],
        [`sum(rate(chandler_leases_lost_total${chosen}[$__rate_interval]))`, 'leases lost'],
        [
          `sum(rate(chandler_fenced_writes_rejected_total${chosen}[$__rate_interval]))`,
          'writes of the fenced',
        ],
      ]),
      panel('Left over', 'Runs that a sweep could not remove.', 'short', [
        [`max by (engine, type) (chandler_orphans${chosen})`, '{{engine}} {{type}}'],
      ]),
      panel('Event loop', 'The slowest hundredth of its turns.', 's', [
        [worst('nodejs_eventloop_lag_p99_seconds'), 'lag'],
      ]),
      panel('Memory', 'Of the process.', 'bytes', [[worst('process_resident_memory_bytes'), 'resident']]),
      panel('Certificates', 'Time until they end.', 's', [
        [`min by (use) (chandler_certificate_not_after_timestamp_seconds${chosen}) - time()`, '{{use}}'],
      ]),
    ],
  ],
]

function panel(title: string, about: string, unit: Panel['unit'], lines: Panel['lines']): Panel {
  return { title, about, unit, lines }
}

function stat(title: string, about: string, expression: string, unit: Panel['unit'] = 'short'): Panel {
  return { title, about, unit, lines: [[expression, title]], kind: 'stat' }
}

const source = { type: 'prometheus', uid: '${source}' }
const perRow = {
  stat: { many: 6, width: 4, height: 4 },
  timeseries: { many: 3, width: 8, height: 8 },
} as const

/** The dashboard as Grafana imports it. */
export function dashboard(): object {
  return {
    __inputs: [],
    title: 'Chandler',
    uid: 'chandler',
    description: 'Made from a table in the code; change scripts/dashboard.ts and run npm run docs.',
    tags: ['chandler'],
    editable: true,
    refresh: '30s',
    schemaVersion: 39,
    time: { from: 'now-6h', to: 'now' },
    templating: {
      list: [variable('source', 'datasource', 'prometheus'), ...['job', 'instance'].map(labelVariable)],
    },
    panels: laidOut(),
  }
}

function variable(name: string, type: string, query: string): object {
  return { name, type, query, label: name, hide: 0 }
}

function labelVariable(name: string): object {
  return {
    ...variable(name, 'query', `label_values(chandler_build_info, ${name})`),
    datasource: source,
    ...{ multi: true, includeAll: true, allValue: '.*', refresh: 2 },
    current: { text: 'All', value: '$__all' },
  }
}

/** Rows from top to bottom, panels from left to right. */
function laidOut(): readonly object[] {
  const all: object[] = []
  let y = 0
  for (const [title, panels] of rows) {
    all.push({ type: 'row', title, collapsed: false, id: all.length + 1, gridPos: { x: 0, y, w: 24, h: 1 } })
    y += 1
    const { many, width, height } = perRow[panels[0]?.kind ?? 'timeseries']
    for (const [i, one] of panels.entries()) {
      const gridPos = { x: (i % many) * width, y: y + Math.floor(i / many) * height, w: width, h: height }
      all.push({ ...toPanel(one), id: all.length + 1, gridPos })
    }
    y += Math.ceil(panels.length / many) * height
  }
  return all
}

function toPanel({ title, about, unit, lines, kind = 'timeseries' }: Panel): object {
  return {
    ...{ type: kind, title, description: about, datasource: source },
    fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
    targets: lines.map(([expr, legendFormat], i) => ({
      ...{ refId: String.fromCharCode(65 + i), expr, legendFormat, datasource: source },
    })),
  }
}
