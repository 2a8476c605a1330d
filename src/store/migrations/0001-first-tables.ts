/** The first tables. An older program cannot run on the result, for there is none. */
import type { Migration } from './migration.ts'

const cluster = [
  `CREATE TABLE cluster (
    one bigint NOT NULL PRIMARY KEY CHECK (one = 1),
    id text NOT NULL,
    epoch bigint NOT NULL,
    frozen text,
    check_key text NOT NULL,
    check_body bytes NOT NULL
  )`,
  `CREATE TABLE nodes (
    name text NOT NULL PRIMARY KEY,
    boot text NOT NULL,
    version text NOT NULL,
    draining bigint NOT NULL,
    started_at bigint NOT NULL,
    heartbeat_at bigint NOT NULL
  )`,
  `CREATE TABLE singletons (
    name text NOT NULL PRIMARY KEY,
    owner text NOT NULL,
    lease_until bigint NOT NULL
  )`,
  `CREATE TABLE tombstones (
    name text NOT NULL PRIMARY KEY,
    reason text NOT NULL,
    until bigint NOT NULL
  )`,
]

const targets = [
  `CREATE TABLE instances (
    platform text NOT NULL,
    id text NOT NULL,
    state text NOT NULL
      CHECK (state IN ('provisioning', 'ready', 'updating', 'deprovisioning', 'failed', 'gone')),
    current_operation text,
    generation bigint NOT NULL,
    service_id text NOT NULL,
    plan_id text NOT NULL,
    digest text NOT NULL,
    organization text NOT NULL,
    space text NOT NULL,
    name text,
    dashboard_url text,
    labels text,
    attributes text,
    maintenance text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (platform, id)
  ) clustered`,
  'CREATE UNIQUE INDEX instances_operation ON instances (current_operation) WHERE current_operation IS NOT NULL',
  'CREATE INDEX instances_id ON instances (id)',
  'CREATE INDEX instances_name ON instances (name) WHERE name IS NOT NULL',
  'CREATE INDEX instances_plan ON instances (plan_id, platform, state)',
  'CREATE INDEX instances_state ON instances (state, updated_at)',
  `CREATE TABLE bindings (
    platform text NOT NULL,
    instance text NOT NULL,
    id text NOT NULL,
    state text NOT NULL CHECK (state IN ('binding', 'bound', 'unbinding', 'failed', 'gone')),
    current_operation text,
    service_id text NOT NULL,
    plan_id text NOT NULL,
    predecessor text,
    expires_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (platform, instance, id)
  ) clustered`,
  'CREATE UNIQUE INDEX bindings_operation ON bindings (current_operation) WHERE current_operation IS NOT NULL',
  'CREATE INDEX bindings_state ON bindings (state, updated_at)',
]

const operations = [
  `CREATE TABLE operations (
    id text NOT NULL PRIMARY KEY,
    platform text NOT NULL,
    instance text NOT NULL,
    binding text NOT NULL,
    kind text NOT NULL,
    action text NOT NULL,
    state text NOT NULL CHECK (state IN ('queued', 'preparing', 'running', 'collecting', 'stopping',
      'quarantined', 'succeeded', 'failed', 'cancelled')),
    ended bigint NOT NULL,
    reason text NOT NULL,
    description text,
    problem text,
    usable bigint,
    repeatable bigint,
    requester text,
    request_id text NOT NULL,
    priority bigint NOT NULL CHECK (priority BETWEEN 0 AND 3),
    turn bigint NOT NULL,
    blocked_by text,
    waits bigint NOT NULL,
    created_at bigint NOT NULL,
    started_at bigint,
    finished_at bigint,
    deadline_at bigint NOT NULL,
    run_after bigint NOT NULL,
    cancel_requested_at bigint,
    lease_owner text,
    lease_until bigint,
    fence bigint NOT NULL,
    strikes bigint NOT NULL,
    stage bigint NOT NULL,
    attempt bigint NOT NULL,
    CHECK (ended = CASE WHEN state IN ('succeeded', 'failed', 'cancelled') THEN 1 ELSE 0 END)
  ) clustered`,
  `CREATE UNIQUE INDEX operations_active ON operations (instance, binding, platform)
    WHERE ended = 0 AND waits = 0`,
  `CREATE UNIQUE INDEX operations_waiting ON operations (instance, binding, platform)
    WHERE ended = 0 AND waits = 1`,
  'CREATE INDEX operations_target ON operations (instance, binding, platform, id)',
  `CREATE INDEX operations_queue ON operations (priority, turn, id)
    WHERE ended = 0 AND waits = 0 AND lease_until IS NULL`,
  'CREATE INDEX operations_lease ON operations (lease_until, platform) WHERE ended = 0',
  'CREATE INDEX operations_open ON operations (id) WHERE ended = 0',
  `CREATE INDEX operations_unlucky ON operations (id) WHERE state IN ('failed', 'cancelled')`,
  'CREATE INDEX operations_deadline ON operations (deadline_at) WHERE ended = 0',
  'CREATE INDEX operations_blocked ON operations (blocked_by) WHERE ended = 0 AND waits = 1',
  `CREATE TABLE history (
    operation text NOT NULL,
    line bigint NOT NULL,
    at bigint NOT NULL,
    state text NOT NULL,
    reason text NOT NULL,
    node text NOT NULL,
    fence bigint NOT NULL,
    PRIMARY KEY (operation, line)
  ) clustered`,
  `CREATE TABLE runs (
    operation text NOT NULL,
    stage bigint NOT NULL,
    attempt bigint NOT NULL,
    name text NOT NULL,
    engine text NOT NULL,
    state text NOT NULL CHECK (state IN ('intended', 'started', 'reported', 'discarded')),
    ticket text,
    PRIMARY KEY (operation, stage, attempt)
  ) clustered`,
  'CREATE UNIQUE INDEX runs_name ON runs (name)',
]

const records = [
  `CREATE TABLE sealed (
    owner text NOT NULL,
    name text NOT NULL,
    key_id text NOT NULL,
    body bytes NOT NULL,
    PRIMARY KEY (owner, name)
  )`,
  'CREATE INDEX sealed_key ON sealed (key_id)',
  `CREATE TABLE logs (
    number identity,
    operation text NOT NULL,
    run text NOT NULL,
    stream text NOT NULL CHECK (stream IN ('stdout', 'stderr', 'system')),
    step text NOT NULL,
    position bigint NOT NULL,
    span bigint NOT NULL,
    at bigint NOT NULL,
    key_id text NOT NULL,
    body bytes NOT NULL
  )`,
  'CREATE INDEX logs_operation ON logs (operation, number)',
  'CREATE UNIQUE INDEX logs_run ON logs (run, step, stream, position)',
  'CREATE INDEX logs_key ON logs (key_id)',
  `CREATE TABLE audit (
    number identity,
    seq bigint,
    at bigint NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    object_kind text NOT NULL,
    object_id text NOT NULL,
    decision text NOT NULL,
    result text NOT NULL,
    code text,
    request_id text NOT NULL,
    source text,
    node text NOT NULL,
    prev text,
    hash text
  )`,
  'CREATE UNIQUE INDEX audit_seq ON audit (seq) WHERE seq IS NOT NULL',
  'CREATE INDEX audit_unchained ON audit (number) WHERE seq IS NULL',
  `CREATE TABLE audit_head (
    one bigint NOT NULL PRIMARY KEY CHECK (one = 1),
    seq bigint NOT NULL,
    hash text NOT NULL
  )`,
  `CREATE TABLE offerings (
    plan_id text NOT NULL,
    digest text NOT NULL,
    service_id text NOT NULL,
    retired bigint NOT NULL,
    document text NOT NULL,
    changed bigint NOT NULL,
    PRIMARY KEY (plan_id, digest)
  )`,
  `CREATE TABLE enrolments (
    name text NOT NULL PRIMARY KEY,
    reference text NOT NULL,
    digest text NOT NULL,
    contract text NOT NULL,
    state text NOT NULL CHECK (state IN ('offered', 'refused')),
    document text NOT NULL,
    updated_at bigint NOT NULL
  )`,
  `CREATE TABLE idempotency (
    scope text NOT NULL,
    key text NOT NULL,
    fingerprint text NOT NULL,
    operation text,
    status bigint NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (scope, key)
  )`,
  'CREATE INDEX idempotency_at ON idempotency (at)',
]

export const firstTables: Migration = {
  number: 1,
  name: 'first-tables',
  statements: [...cluster, ...targets, ...operations, ...records],
}
