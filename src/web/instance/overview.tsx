/** The facts about an instance, and the acts that end it. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { InstanceDetail } from '../../api/instance.ts'
import type { Problem } from '../../api/problem.ts'
import { calls } from '../calls.ts'
import { instancePage, operationLink, tenantLink } from '../links.ts'
import { useLoaded } from '../load.ts'
import { Command } from '../parts/copy.tsx'
import { Question } from '../parts/dialog.tsx'
import { moment } from '../parts/time.tsx'
import { go, href } from '../router.ts'
import { send } from '../send.ts'
import { may } from '../session.ts'
import { t } from '../texts.ts'

interface Props {
  readonly detail: InstanceDetail
}

export function Overview({ detail }: Props) {
  const {
    id,
    platform,
    tenant,
    organization,
    space,
    labels,
    maintenance,
    createdAt,
    updatedAt,
    state,
    barred,
  } = detail
  return (
    <>
      <dl class="facts">
        <Fact name={t('instance.id')}>
          <code>{id}</code>
        </Fact>
        <Fact name={t('instances.platform')}>{platform}</Fact>
        <Fact name={t('instance.tenant')}>
          {may('read:tenants') ? <a href={tenantLink(tenant)}>{tenant}</a> : tenant}
        </Fact>
        <Fact name={t('instance.dashboard')}>{dashboardLink(detail.dashboardUrl)}</Fact>
        <Fact name={t('instance.organization')}>{organization}</Fact>
        <Fact name={t('instance.space')}>{space}</Fact>
        <Fact name={t('instance.maintenance')}>{maintenance}</Fact>
        <Fact name={t('instance.labels')}>
          {labels &&
            Object.entries(labels).map(([name, value]) => <code key={name}>{`${name}=${value} `}</code>)}
        </Fact>
        <Fact name={t('instance.package')}>
          <code>{detail.package.digest}</code>
        </Fact>
        {state === 'failed' ? null : (
          <>
            <Fact name={t('instance.noUpdate')}>{sentence(barred.update)}</Fact>
            <Fact name={t('instance.noBind')}>{sentence(barred.bind)}</Fact>
          </>
        )}
        <Fact name={t('instance.created')}>{moment(createdAt)}</Fact>
        <Fact name={t('instance.updated')}>{moment(updatedAt)}</Fact>
      </dl>
      {state !== 'gone' ? <Endings detail={detail} /> : null}
      <Command words={['chandler', 'instance', 'show', id, '--platform', platform]} />
    </>
  )
}

function sentence(why: Problem | undefined) {
  return why && `${why.message}. ${why.hint ?? ''}`
}

/** What a package says where people may look may be anything; only addresses of the web are followed. */
function dashboardLink(url: string | undefined) {
  if (url === undefined) return undefined
  if (!/^https?:\/\//i.test(url)) return url
  return (
    <a href={url} rel="noopener noreferrer" target="_blank">
      {url}
    </a>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  if (children === undefined || children === null) return null
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}

function Endings({ detail }: Props) {
  const { barred } = detail
  const [asked, setAsked] = useState<'delete' | 'purge'>()
  const close = (): void => setAsked(undefined)
  return (
    <div class="acts">
      {may('update:instances') && barred.update === undefined ? (
        <a class="button" href={instancePage(detail, 'update')}>
          {t('instance.update')}
        </a>
      ) : null}
      {may('create:bindings') && barred.bind === undefined ? (
        <a class="button" href={instancePage(detail, 'bind')}>
          {t('instance.bind')}
        </a>
      ) : null}
      {may('delete:instances') ? (
        <button type="button" class="danger" onClick={() => setAsked('delete')}>
          {t('instance.delete')}
        </button>
      ) : null}
      {may('purge:instances') ? (
        <button type="button" onClick={() => setAsked('purge')}>
          {t('instance.purge')}
        </button>
      ) : null}
      {asked === 'delete' ? <DeleteQuestion detail={detail} close={close} /> : null}
      {asked === 'purge' ? <PurgeQuestion detail={detail} close={close} /> : null}
    </div>
  )
}

interface QuestionProps extends Props {
  readonly close: () => void
}

function DeleteQuestion({ detail, close }: QuestionProps) {
  const { platform, id: instance } = detail
  const bindings = useLoaded(`bindings ${platform} ${instance}`, (manner) =>
    send(calls.bindings, { path: { platform, instance }, ...manner }),
  )
  const ids = bindings.value?.items.map(({ id }) => id) ?? []
  const name = detail.name ?? instance
  const carryOut = async () => {
    const answered = await send(calls.deleteInstance, { path: { platform, instance } })
    if (answered.kind === 'done' && answered.value.operation !== undefined)
      go(operationLink(answered.value.operation))
    return answered
  }
  return (
    <Question
      title={t('instance.deleteTitle', { name })}
      act={t('instance.delete')}
      isDangerous
      confirm={name}
      command={['chandler', 'instance', 'deprovision', instance, '--platform', platform]}
      carryOut={carryOut}
      close={close}
    >
      <p>{t('instance.deleteWhat')}</p>
      {ids.length === 0 ? null : (
        <p>
          {t('instance.deleteBindings', { n: ids.length })} <code>{ids.slice(0, 12).join(', ')}</code>
        </p>
      )}
    </Question>
  )
}

function PurgeQuestion({ detail, close }: QuestionProps) {
  const { platform, id: instance } = detail
  const name = detail.name ?? instance
  const carryOut = async () => {
    const answered = await send(calls.purgeInstance, { path: { platform, instance } })
    if (answered.kind === 'done') go(href('/instances'))
    return answered
  }
  return (
    <Question
      title={t('instance.purgeTitle', { name })}
      act={t('instance.purge')}
      isDangerous
      confirm={name}
      command={['chandler', 'instance', 'purge', instance, '--platform', platform]}
      carryOut={carryOut}
      close={close}
    >
      <p>{t('instance.purgeWhat')}</p>
    </Question>
  )
}
