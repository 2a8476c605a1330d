/** The bindings of an instance: their states, their credentials when a person asks for them, and their ends. */
import { useState } from 'preact/hooks'
import type { Binding } from '../../api/binding.ts'
import type { CatalogService } from '../../api/catalog.ts'
import type { InstanceDetail } from '../../api/instance.ts'
import { calls } from '../calls.ts'
import { instancePage, operationLink } from '../links.ts'
import { useLoaded } from '../load.ts'
import { Barred } from '../parts/barred.tsx'
import { Question } from '../parts/dialog.tsx'
import { NotYet } from '../parts/not-yet.tsx'
import { State } from '../parts/state.tsx'
import { Ago, moment } from '../parts/time.tsx'
import { send } from '../send.ts'
import { may } from '../session.ts'
import { t } from '../texts.ts'
import { Reveal } from './reveal.tsx'

export function BindingsTab({ detail }: { readonly detail: InstanceDetail }) {
  const { platform, id: instance } = detail
  const catalog = useLoaded('catalog', (manner) => send(calls.catalog, { path: {}, ...manner }))
  const list = useLoaded(`bindings ${platform} ${instance}`, (manner) =>
    send(calls.bindings, { path: { platform, instance }, ...manner }),
  )
  if (list.value === undefined) return <NotYet of={list} />
  if (list.value.items.length === 0)
    return (
      <>
        <p class="calm">{t('binding.none')}</p>
        <p class="quiet">{t('binding.noneHint')}</p>
        <BindLink detail={detail} />
      </>
    )
  return (
    <>
      <BindLink detail={detail} />
      {list.value.items.map((one) => (
        <BindingCard
          key={one.id}
          binding={one}
          detail={detail}
          canRotate={isRotatable(detail, catalog.value?.services ?? [])}
        />
      ))}
    </>
  )
}

function BindLink({ detail }: { readonly detail: InstanceDetail }) {
  const { barred, state } = detail
  if (!may('create:bindings') || state === 'gone') return null
  if (barred.bind !== undefined) return <Barred why={barred.bind} />
  return (
    <p>
      <a class="button" href={instancePage(detail, 'bind')}>
        {t('instance.bind')}
      </a>
    </p>
  )
}

interface CardProps {
  readonly binding: Binding
  readonly detail: InstanceDetail
  readonly canRotate: boolean
}

function BindingCard({ binding, detail, canRotate }: CardProps) {
  const { id, state, createdAt, expiresAt, predecessor, operation } = binding
  const [asked, setAsked] = useState<'unbind' | 'rotate'>()
  const isBound = state === 'bound'
  return (
    <section class="sheet" aria-label={id}>
      <div class="head">
        <h2>
          <code>{id}</code>
        </h2>
        <State of={state} />
        <span class="quiet small">
          <Ago at={createdAt} />
          {expiresAt === undefined ? '' : ` · ${t('binding.expires')} ${moment(expiresAt)}`}
          {predecessor === undefined ? '' : ` · ${t('binding.follows')} ${predecessor}`}
        </span>
      </div>
      {operation === undefined ? null : (
        <p>
          <a href={operationLink(operation)}>{t('instance.follow')}</a>
        </p>
      )}
      {isBound && may('read:credentials') ? <Reveal binding={binding} detail={detail} /> : null}
      <div class="acts">
        {isBound && canRotate && may('create:bindings') ? (
          <button type="button" onClick={() => setAsked('rotate')}>
            {t('binding.rotate')}
          </button>
        ) : null}
        {operation === undefined && may('delete:bindings') ? (
          <button type="button" class="danger" onClick={() => setAsked('unbind')}>
            {t('binding.unbind')}
          </button>
        ) : null}
      </div>
      {asked === undefined ? null : (
        <EndQuestion kind={asked} binding={binding} close={() => setAsked(undefined)} />
      )}
    </section>
  )
}

/** Whether the plan of the catalog lets bindings be rotated. */
function isRotatable({ plan, service }: InstanceDetail, services: readonly CatalogService[]): boolean {
  const plans = services.find(({ id }) => id === service.id)?.plans
  return plans?.find(({ id }) => id === plan.id)?.bindingRotatable === true
}

interface EndProps {
  readonly kind: 'unbind' | 'rotate'
  readonly binding: Binding
  readonly close: () => void
}

function EndQuestion({ kind, binding: { platform, instance, id }, close }: EndProps) {
  const path = { platform, instance, binding: id }
  const isUnbind = kind === 'unbind'
  return (
    <Question
      title={t(isUnbind ? 'binding.unbindTitle' : 'binding.rotateTitle', { name: id })}
      act={t(isUnbind ? 'binding.unbind' : 'binding.rotate')}
      isDangerous={isUnbind}
      command={['chandler', 'binding', kind, instance, id, '--platform', platform]}
      carryOut={() => (isUnbind ? send(calls.unbind, { path }) : send(calls.rotate, { path, body: {} }))}
      close={close}
    >
      <p>{t(isUnbind ? 'binding.unbindWhat' : 'binding.rotateWhat')}</p>
    </Question>
  )
}
