/** The processes of the broker, what they look after, the keys, and whether new orders are taken. */
import { useState } from 'preact/hooks'
import type { Cluster, Health, Keys } from '../../api/cluster.ts'
import type { Examination } from '../../api/findings.ts'
import { calls } from '../calls.ts'
import { ifMay, type Loaded, useLoaded } from '../load.ts'
import { CheckTable } from '../parts/check-table.tsx'
import { Command } from '../parts/copy.tsx'
import { Question } from '../parts/dialog.tsx'
import { Findings } from '../parts/findings.tsx'
import { NotYet } from '../parts/not-yet.tsx'
import { State } from '../parts/state.tsx'
import { Ago, lastingText } from '../parts/time.tsx'
import { useTitle } from '../parts/title.ts'
import { send } from '../send.ts'
import { may } from '../session.ts'
import { type TextKey, t } from '../texts.ts'

export function NodesPage() {
  useTitle(t('nodes.title'))
  // All at once: none of them waits for another.
  const cluster = useLoaded('cluster', (manner) => send(calls.cluster, { path: {}, ...manner }))
  const health = useLoaded('health', (manner) => send(calls.health, { path: {}, ...manner }))
  const examined = useLoaded('examination', (manner) =>
    ifMay('examine:broker', () => send(calls.examination, { path: {}, ...manner })),
  )
  const keys = useLoaded('keys', (manner) =>
    ifMay('read:keys', () => send(calls.keys, { path: {}, ...manner })),
  )
  if (cluster.value === undefined)
    return (
      <>
        <h1>{t('nodes.title')}</h1>
        <NotYet of={cluster} />
      </>
    )
  return (
    <>
      <h1>{t('nodes.title')}</h1>
      <NodeTable cluster={cluster.value} />
      <HealthTable health={health} />
      {may('examine:broker') ? <Doctor examined={examined} /> : null}
      {cluster.value.counts.length === 0 ? null : (
        <>
          <h2>{t('nodes.counts')}</h2>
          <CountTable cluster={cluster.value} />
        </>
      )}
      {may('read:keys') ? (
        <>
          <h2>{t('nodes.keys')}</h2>
          <KeyTable keys={keys.value?.keys ?? []} />
        </>
      ) : null}
      {may('freeze:broker') ? <FreezeAct cluster={cluster.value} /> : null}
      <Command words={['chandler', 'status', ...(may('examine:broker') ? ['--examine'] : [])]} />
    </>
  )
}

function NodeTable({ cluster: { nodes } }: { readonly cluster: Cluster }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('nodes.name')}</th>
          <th scope="col">{t('nodes.seen')}</th>
          <th scope="col">{t('nodes.version')}</th>
          <th scope="col" class="spare">
            {t('nodes.started')}
          </th>
        </tr>
      </thead>
      <tbody>
        {nodes.map((node) => (
          <tr key={node.name}>
            <th scope="row">
              <strong>{node.name}</strong>
              {node.draining ? <span class="below">{t('nodes.draining')}</span> : null}
            </th>
            <td>
              <Ago at={node.heartbeatAt} />
            </td>
            <td>{node.version}</td>
            <td class="spare">
              <Ago at={node.startedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Of the process that answers; each has engines of its own. */
function HealthTable({ health }: { readonly health: Loaded<Health> }) {
  if (health.value === undefined) return <NotYet of={health} />
  return (
    <>
      <h2>{t('nodes.health', { node: health.value.node })}</h2>
      <CheckTable
        checks={health.value.checks.map(({ ok, ...one }) => ({ ...one, state: ok ? 'ok' : 'bad' }))}
      />
    </>
  )
}

/** Asked of the broker, which looks anew twice a minute at most. */
function Doctor({ examined }: { readonly examined: Loaded<Examination | null> }) {
  if (examined.value === undefined || examined.value === null) return <NotYet of={examined} />
  return <Findings examination={examined.value} />
}

function CountTable({ cluster: { counts } }: { readonly cluster: Cluster }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('nodes.of')}</th>
          <th scope="col">{t('list.state')}</th>
          <th scope="col">{t('nodes.count')}</th>
          <th scope="col" class="spare">
            {t('nodes.oldest')}
          </th>
        </tr>
      </thead>
      <tbody>
        {counts.map((one) => (
          <tr key={`${one.of} ${one.state}`}>
            <th scope="row">{t(`nodes.${one.of}` as TextKey)}</th>
            <td>
              <State of={one.state} />
              <span class="below narrow-only">{lastingText(one.oldestSeconds)}</span>
            </td>
            <td>{one.count}</td>
            <td class="spare">{lastingText(one.oldestSeconds)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function KeyTable({ keys }: Pick<Keys, 'keys'>) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('nodes.key')}</th>
          <th scope="col">{t('nodes.records')}</th>
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <th scope="row">
              <code>{key.id}</code> {key.active ? t('nodes.active') : ''}
            </th>
            <td>{key.records}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function FreezeAct({ cluster: { freeze } }: { readonly cluster: Cluster }) {
  const [isAsked, setAsked] = useState(false)
  const [reason, setReason] = useState('')
  const close = (): void => setAsked(false)
  if (freeze !== undefined)
    return (
      <div class="acts">
        <span>{t('home.frozen', { reason: freeze.reason, by: freeze.by })}</span>
        <button type="button" onClick={() => setAsked(true)}>
          {t('nodes.thaw')}
        </button>
        {isAsked ? (
          <Question
            title={t('nodes.thawTitle')}
            act={t('nodes.thaw')}
            command={['chandler', 'thaw']}
            carryOut={() => send(calls.thaw, { path: {} })}
            close={close}
          >
            <p>{t('nodes.thawWhat')}</p>
          </Question>
        ) : null}
      </div>
    )
  return (
    <div class="acts">
      <button type="button" onClick={() => setAsked(true)}>
        {t('nodes.freeze')}
      </button>
      {isAsked ? (
        <Question
          title={t('nodes.freezeTitle')}
          act={t('nodes.freeze')}
          isDangerous
          command={['chandler', 'freeze', '--reason', reason]}
          carryOut={() => send(calls.freeze, { path: {}, body: { reason } })}
          close={close}
        >
          <p>{t('nodes.freezeWhat')}</p>
          <label>
            {t('nodes.freezeReason')}
            <input
              value={reason}
              onInput={(event) => setReason(event.currentTarget.value)}
              required
              maxLength={500}
            />
          </label>
        </Question>
      ) : null}
    </div>
  )
}
