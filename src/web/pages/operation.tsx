/** One operation: its states with times, what it waits for, its log as it grows, and what can be done. */
import { useEffect, useState } from 'preact/hooks'
import type { Operation } from '../../api/operation.ts'
import { addressOf } from '../address-of.ts'
import { calls } from '../calls.ts'
import { FileList } from '../instance/files.tsx'
import { instanceLink } from '../links.ts'
import { type Loaded, useLoaded } from '../load.ts'
import { type FollowedLog, followLog } from '../log/follow.ts'
import { LogView } from '../log/view.tsx'
import { CancelButton, ReleaseButton, RetryButton } from '../operation/acts.tsx'
import { hasOtherInputs, LoadedOtherInputs } from '../operation/other-inputs.tsx'
import { reasonAlone } from '../operation/reason.ts'
import { StageStrip } from '../operation/stages.tsx'
import type { PageProps } from '../page-props.ts'
import { Command } from '../parts/copy.tsx'
import { reachable } from '../parts/reachable.ts'
import { Shape, State } from '../parts/state.tsx'
import { Ago, Lasting, moment } from '../parts/time.tsx'
import { useTitle } from '../parts/title.ts'
import { Unread } from '../parts/unread.tsx'
import { send } from '../send.ts'
import { t } from '../texts.ts'

export function OperationPage({ params }: PageProps) {
  const id = params['operation'] ?? ''
  const loaded = useLoaded(`operation ${id}`, (manner) =>
    send(calls.operation, { path: { operation: id }, ...manner }),
  )
  return loaded.value === undefined ? (
    <Unknown id={id} loaded={loaded} />
  ) : (
    <Known key={id} loaded={loaded.value} />
  )
}

function Unknown({ id, loaded }: { readonly id: string; readonly loaded: Loaded<Operation> }) {
  useTitle(t('operations.title'))
  return <Unread title={id} of={[loaded]} />
}

function Known({ loaded }: { readonly loaded: Operation }) {
  const [log, setLog] = useState<FollowedLog>()
  useEffect(() => {
    const opened = followLog(loaded.id)
    setLog(opened)
    return () => opened.close()
  }, [])
  // What came last is true: the stream tells each state, the document tells the last lines, too.
  const streamed = log?.operation.value
  const operation =
    streamed && streamed.finishedAt === loaded.finishedAt ? { ...loaded, ...streamed } : (streamed ?? loaded)
  const { id, action, instance, binding, state, createdAt, finishedAt } = operation
  const name = loaded.instanceName ?? instance
  useTitle(t('operation.title', { action, instance: name }))
  return (
    <>
      <div class="head">
        <h1>
          {action} <a href={instanceLink(operation)}>{name}</a>
        </h1>
        <span role="status">
          <State of={state} />
        </span>
        <span class="quiet">
          <Lasting from={createdAt} to={finishedAt} />
        </span>
      </div>
      {binding === undefined ? null : (
        <p class="lead quiet">
          <code>{binding}</code>
        </p>
      )}
      <Word operation={operation} />
      <StageStrip operation={operation} />
      <div class="acts">
        <CancelButton operation={operation} />
        <RetryButton operation={operation} />
        {hasOtherInputs(operation) ? <LoadedOtherInputs operation={operation} /> : null}
        <ReleaseButton operation={operation} />
      </div>
      {log === undefined ? null : <LogView log={log} operation={operation} />}
      <Results operation={operation} />
      <Inputs operation={operation} />
      <Facts operation={operation} />
      <Command words={['chandler', 'operation', 'logs', '-f', id]} />
    </>
  )
}

interface Props {
  readonly operation: Operation
}

/** The one sentence: why it is as it is, and what to do. */
function Word({ operation }: Props) {
  const { state, reason, description, problem, cancelRequestedAt, finishedAt } = operation
  const isBad = state === 'failed' || state === 'quarantined'
  return (
    <div class={isBad ? 'note bad' : 'plain-note'}>
      {isBad ? <Shape tone="bad" /> : null}
      <div>
        {[...new Set([reason, description ?? reason].map(reasonAlone))]
          .filter((one) => one !== state)
          .map((one) => (
            <p key={one}>{one}</p>
          ))}
        {problem === undefined ? null : (
          <p>
            {problem.hint} <code class="quiet small">{problem.code}</code>
          </p>
        )}
        {cancelRequestedAt === undefined || finishedAt !== undefined ? null : (
          <p class="wait">
            <AskedToStop at={cancelRequestedAt} />
          </p>
        )}
      </div>
    </div>
  )
}

function AskedToStop({ at }: { readonly at: string }) {
  const [before = '', after = ''] = t('operation.cancelling', { time: '\n' }).split('\n')
  return (
    <>
      {before}
      <Ago at={at} />
      {after}
    </>
  )
}

function Results({ operation: { id, finishedAt } }: Props) {
  const list = useLoaded(`results ${id} ${finishedAt}`, (manner) =>
    send(calls.results, { path: { operation: id }, ...manner }),
  )
  const files = list.value?.items ?? []
  if (files.length === 0) return null
  return (
    <>
      <h2>{t('operation.results')}</h2>
      <FileList
        files={files}
        link={(name) => addressOf(calls.result, { operation: id, name })}
        command={(name) => ['chandler', 'operation', 'outputs', id, name]}
      />
    </>
  )
}

function Inputs({ operation: { parameters = {} } }: Props) {
  if (Object.keys(parameters).length === 0) return null
  return (
    <details>
      <summary>{t('operation.inputs')}</summary>
      <pre {...reachable}>{JSON.stringify(parameters, null, 2)}</pre>
    </details>
  )
}

function Facts({ operation }: Props) {
  const { id, platform, node, attempt, requestId, deadlineAt, finishedAt, blockedBy } = operation
  return (
    <dl class="facts">
      <dt>{t('instance.id')}</dt>
      <dd>
        <code>{id}</code>
      </dd>
      <dt>{t('instances.platform')}</dt>
      <dd>{platform}</dd>
      <dt>{t('operation.attempt')}</dt>
      <dd>{attempt}</dd>
      {node === undefined ? null : (
        <>
          <dt>{t('operation.node')}</dt>
          <dd>{node}</dd>
        </>
      )}
      {blockedBy === undefined || finishedAt !== undefined ? null : (
        <>
          <dt>{t('operation.waitsFor')}</dt>
          <dd>
            <code>{blockedBy}</code>
          </dd>
        </>
      )}
      <dt>{t('operation.deadline')}</dt>
      <dd>{moment(deadlineAt)}</dd>
      <dt>{t('operation.request')}</dt>
      <dd>
        <code>{requestId}</code>
      </dd>
    </dl>
  )
}
