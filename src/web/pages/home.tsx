/** What is wrong right now, and what is under way; a quiet page when nothing is. */

import type { ComponentChildren } from 'preact'
import type { Cluster } from '../../api/cluster.ts'
import type { Instance } from '../../api/instance.ts'
import type { Operation } from '../../api/operation.ts'
import type { Package } from '../../api/package.ts'
import { calls } from '../calls.ts'
import { activeOperations, failedInstances } from '../first-asks.ts'
import { instanceLink, operationLink, packageLink } from '../links.ts'
import { ifMay, useLoaded } from '../load.ts'
import { NoInstances } from '../parts/no-instances.tsx'
import { NotYet } from '../parts/not-yet.tsx'
import { Shape, State } from '../parts/state.tsx'
import { Ago, lastingText } from '../parts/time.tsx'
import { useTitle } from '../parts/title.ts'
import { send } from '../send.ts'
import { t } from '../texts.ts'

/** A node that was not heard of for so long is told; one that was stopped, or is long gone, only while work is in its hands. */
const silentMs = 60_000
const forgottenMs = 60 * 60_000

export function HomePage() {
  useTitle(t('home.title'))
  const cluster = useLoaded('cluster', (manner) =>
    ifMay('read:cluster', () => send(calls.cluster, { path: {}, ...manner })),
  )
  const failed = useLoaded('failed', (manner) =>
    send(calls.instances, { path: {}, query: failedInstances, ...manner }),
  )
  const active = useLoaded('active', (manner) =>
    send(calls.operations, { path: {}, query: activeOperations, ...manner }),
  )
  const packages = useLoaded('packages', (manner) =>
    ifMay('read:packages', () => send(calls.packages, { path: {}, ...manner })),
  )
  const all = [cluster, failed, active, packages]
  const problem = all.find((one) => one.problem !== undefined)?.problem
  const reload = (): void => {
    for (const one of all) one.reload()
  }
  if (all.some(({ value }) => value === undefined))
    return (
      <>
        <h1>{t('home.title')}</h1>
        <NotYet of={{ problem, reload }} />
      </>
    )
  const operations = active.value?.items ?? []
  return (
    <>
      <h1>{t('home.title')}</h1>
      <Wrong
        cluster={cluster.value ?? undefined}
        instances={failed.value?.items ?? []}
        operations={operations}
        packages={packages.value?.items ?? []}
      />
      <h2>{t('home.underWay')}</h2>
      <UnderWay operations={operations} />
    </>
  )
}

interface WrongProps {
  readonly cluster: Cluster | undefined
  readonly instances: readonly Instance[]
  readonly operations: readonly Operation[]
  readonly packages: readonly Package[]
}

function Wrong({ cluster, instances, operations, packages }: WrongProps) {
  const rows = [
    ...freezeRows(cluster),
    ...nodeRows(cluster, operations),
    ...instances.map((one) => <FailedInstance key={`${one.platform} ${one.id}`} instance={one} />),
    ...operations
      .filter(({ state }) => state === 'quarantined')
      .map((one) => (
        <Row key={one.id} at={one.createdAt} reason={one.reason}>
          <a href={operationLink(one.id)}>
            {t('home.operation', { action: one.action, instance: one.instanceName ?? one.instance })}
          </a>
        </Row>
      )),
    ...packages
      .filter(({ state }) => state === 'refused')
      .map((one) => (
        <Row key={one.name} at={one.updatedAt} reason={one.problems?.[0]?.message}>
          <a href={packageLink(one.name)}>{t('home.package', { name: one.name })}</a>
        </Row>
      )),
  ]
  if (rows.length === 0) return <Quiet cluster={cluster} />
  return (
    <section aria-label={t('home.wrong')}>
      <h2>{t('home.wrong')}</h2>
      <ul class="wrong">{rows}</ul>
    </section>
  )
}

function Quiet({ cluster }: { readonly cluster: Cluster | undefined }) {
  if (cluster === undefined) return <p class="calm">{t('home.quiet')}</p>
  const sum = (of: string): number =>
    cluster.counts
      .filter((one) => one.of === of && one.state !== 'gone')
      .reduce((total, { count }) => total + count, 0)
  const instances = sum('instance')
  if (instances === 0) return <NoInstances text={t('home.empty')} hint={t('home.emptyHint')} />
  return (
    <p class="calm">
      {t('home.quiet')} {t('home.counts', { instances, bindings: sum('binding') })}
    </p>
  )
}

/** With the reason, which is that of its last operation. */
function FailedInstance({ instance: { platform, id, name, updatedAt } }: { readonly instance: Instance }) {
  const key = { platform, instance: id }
  const detail = useLoaded(`instance ${platform} ${id}`, (manner) =>
    send(calls.instance, { path: key, ...manner }),
  )
  return (
    <Row at={updatedAt} reason={detail.value?.lastOperation?.reason}>
      <a href={instanceLink(key)}>{t('home.instance', { name: name ?? id })}</a>
    </Row>
  )
}

interface RowProps {
  readonly at?: string
  readonly reason?: string | undefined
  readonly children: ComponentChildren
}

function Row({ at, reason, children }: RowProps) {
  return (
    <li>
      <Shape tone="bad" />
      <div>
        <strong>{children}</strong>
        {at === undefined ? null : (
          <span class="quiet">
            {' '}
            <Ago at={at} />
          </span>
        )}
        {reason === undefined ? null : <p>{reason}</p>}
      </div>
    </li>
  )
}

function freezeRows(cluster: Cluster | undefined) {
  const { freeze } = cluster ?? {}
  if (freeze === undefined) return []
  const { reason, by } = freeze
  return [<Row key="freeze">{t(freeze.all ? 'home.frozenAll' : 'home.frozen', { reason, by })}</Row>]
}

function nodeRows(cluster: Cluster | undefined, operations: readonly Operation[]) {
  return (cluster?.nodes ?? [])
    .map((node) => ({ ...node, silent: Date.now() - Date.parse(node.heartbeatAt) }))
    .filter(
      ({ name, draining, silent }) =>
        silent > silentMs &&
        ((!draining && silent < forgottenMs) || operations.some(({ node }) => node === name)),
    )
    .map(({ name, silent }) => (
      <Row key={name}>{t('home.node', { name, time: lastingText(silent / 1000) })}</Row>
    ))
}

function UnderWay({ operations }: { readonly operations: readonly Operation[] }) {
  if (operations.length === 0) return <p class="quiet">{t('home.idle')}</p>
  return (
    <ul class="rows">
      {operations.map((one) => (
        <li key={one.id}>
          <State of={one.state} />
          <div>
            <a href={operationLink(one.id)}>
              {one.action} {one.instanceName ?? one.instance}
            </a>{' '}
            <span class="quiet">
              <Ago at={one.createdAt} />
            </span>
            <p>{one.reason}</p>
          </div>
        </li>
      ))}
    </ul>
  )
}
