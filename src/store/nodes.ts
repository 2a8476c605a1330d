/** The cluster as a whole: its identity, nodes, singletons and tombstones. */
import type { Session } from './database.ts'
import { compact, maybeJson, maybeText, number, text, toJson } from './row.ts'
import type { Cluster, Freeze, NodeRow } from './store.ts'

/** Id, epoch and freeze. */
export async function readCluster(session: Session): Promise<Cluster> {
  const row = (await session.get('SELECT id, epoch, frozen FROM cluster WHERE one = 1')) ?? {}
  return compact<Cluster>({
    id: text(row, 'id'),
    epoch: number(row, 'epoch'),
    freeze: maybeJson<Freeze>(row, 'frozen'),
  })
}

/** Sets or lifts the freeze. */
export async function putFreeze(session: Session, freeze: Freeze | undefined): Promise<void> {
  await session.send('UPDATE cluster SET frozen = ? WHERE one = 1', toJson(freeze))
}

/** Raises the epoch and takes every lease away, so that processes started before can neither claim nor write. */
export async function raiseEpoch(session: Session): Promise<number> {
  const row = (await session.get('UPDATE cluster SET epoch = epoch + 1 WHERE one = 1 RETURNING epoch')) ?? {}
  await session.send(
    'UPDATE operations SET fence = fence + 1, lease_owner = NULL, lease_until = NULL WHERE ended = 0',
  )
  // What one node does for all is at once the next one's, too.
  await session.send('DELETE FROM singletons')
  return number(row, 'epoch')
}

/** All nodes by name. */
export async function listNodes(session: Session): Promise<readonly NodeRow[]> {
  const rows = await session.all(
    'SELECT name, boot, version, draining, started_at, heartbeat_at, active_key FROM nodes ORDER BY name',
  )
  return rows.map((row) =>
    compact<NodeRow>({
      name: text(row, 'name'),
      boot: text(row, 'boot'),
      version: text(row, 'version'),
      draining: number(row, 'draining') === 1,
      startedAt: number(row, 'started_at'),
      heartbeatAt: number(row, 'heartbeat_at'),
      activeKey: maybeText(row, 'active_key'),
    }),
  )
}

/** Writes a node, new or changed. */
export async function putNode(session: Session, node: NodeRow): Promise<void> {
  await session.send(
    `INSERT INTO nodes (name, boot, version, draining, started_at, heartbeat_at, active_key)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET boot = excluded.boot, version = excluded.version,
      draining = excluded.draining, started_at = excluded.started_at, heartbeat_at = excluded.heartbeat_at,
      active_key = excluded.active_key`,
    node.name,
    node.boot,
    node.version,
    node.draining ? 1 : 0,
    node.startedAt,
    node.heartbeatAt,
    node.activeKey ?? null,
  )
}

/** Takes or keeps the lease of a singleton; false: another node has it. */
export async function holdSingleton(
  session: Session,
  name: string,
  lease: { readonly node: string; readonly ms: number },
): Promise<boolean> {
  const changed = await session.run(
    `INSERT INTO singletons (name, owner, lease_until) VALUES (?, ?, now_ms() + ?)
      ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, lease_until = excluded.lease_until
      WHERE singletons.owner = excluded.owner OR singletons.lease_until < now_ms()`,
    name,
    lease.node,
    lease.ms,
  )
  return changed === 1
}

/** Remembers a name that must not run any more. */
export async function addTombstone(
  session: Session,
  name: string,
  why: { readonly reason: string; readonly until: number },
): Promise<void> {
  await session.send(
    `INSERT INTO tombstones (name, reason, until) VALUES (?, ?, ?)
      ON CONFLICT (name) DO UPDATE SET reason = excluded.reason, until = excluded.until
      WHERE excluded.until > tombstones.until`,
    name,
    why.reason,
    why.until,
  )
}

/** Names whose tombstone still stands. */
export async function listTombstones(session: Session): Promise<readonly string[]> {
  const rows = await session.all('SELECT name FROM tombstones WHERE until > (SELECT now_ms()) ORDER BY name')
  return rows.map((row) => text(row, 'name'))
}

/** Keeps others out of the same name until the end of the transaction; SQLite has one writer anyway. */
export async function lockName(session: Session, name: string): Promise<void> {
  if (session.dialect.name === 'postgres')
    await session.send('SELECT pg_advisory_xact_lock(hashtextextended(?, 2026))', name)
}
