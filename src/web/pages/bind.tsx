/** Binds an instance by the form of its plan. */
import { useMemo } from 'preact/hooks'
import type { CatalogPlan } from '../../api/catalog.ts'
import type { InstanceDetail } from '../../api/instance.ts'
import type { JsonObject } from '../../kit/json.ts'
import { calls } from '../calls.ts'
import { useKeptText } from '../fields/kept-text.ts'
import { OrderPanel } from '../fields/order-panel.tsx'
import { SchemaForm } from '../fields/schema-form.tsx'
import { useFilling } from '../fields/use-filling.ts'
import { definitionIn } from '../form/definition.ts'
import { useLoaded } from '../load.ts'
import { planNamed, serviceNamed } from '../offer.ts'
import type { PageProps } from '../page-props.ts'
import { Barred } from '../parts/barred.tsx'
import { useTitle } from '../parts/title.ts'
import { Unread } from '../parts/unread.tsx'
import { href } from '../router.ts'
import { send } from '../send.ts'
import { may } from '../session.ts'
import { t } from '../texts.ts'

export function BindPage({ params }: PageProps) {
  const path = { platform: params['platform'] ?? '', instance: params['instance'] ?? '' }
  const found = useLoaded(JSON.stringify(path), (manner) => send(calls.instance, { path, ...manner }))
  const catalog = useLoaded('catalog', (manner) => send(calls.catalog, { path: {}, ...manner }))
  const instance = found.value
  const name = instance?.name ?? path.instance
  useTitle(t('bind.title', { name }))
  if (instance === undefined || catalog.value === undefined)
    return <Unread title={t('bind.title', { name })} of={[found, catalog]} />
  const plan = planNamed(serviceNamed(catalog.value.services, instance.service.id), instance.plan.id)
  return (
    <>
      <InstanceCrumbs instance={instance} />
      <h1>{t('bind.title', { name })}</h1>
      {instance.barred.bind === undefined ? (
        <BindForm instance={instance} plan={plan} />
      ) : (
        <Barred why={instance.barred.bind} />
      )}
    </>
  )
}

/** The way back to the instance. */
export function InstanceCrumbs({ instance }: { readonly instance: InstanceDetail }) {
  const { platform, id, name, service, plan } = instance
  return (
    <p class="crumbs">
      <a href={href(`/instances/${encodeURIComponent(platform)}/${encodeURIComponent(id)}`)}>{name ?? id}</a>
      <span class="quiet">
        {' '}
        {service.name ?? service.id}, {plan.name ?? plan.id}
      </span>
    </p>
  )
}

interface FormProps {
  readonly instance: InstanceDetail
  /** Absent: it is offered no more. */
  readonly plan: CatalogPlan | undefined
}

function BindForm({ instance, plan }: FormProps) {
  const path = { platform: instance.platform, instance: instance.id }
  const form = useMemo(
    () => ({ schema: plan?.schemas.bind, definition: definitionIn(plan?.metadata, 'bind') }),
    [plan?.id],
  )
  const key = `bind ${instance.platform} ${instance.id}`
  const [id, setId, forgetId] = useKeptText(key)
  const wish = (parameters: JsonObject) => ({ parameters, ...(id === '' ? {} : { id }) })
  const filling = useFilling({
    key,
    plan: form,
    check: may('create:bindings')
      ? (value, signal) => send(calls.tryBind, { path, body: wish(value), signal, isRefresh: true })
      : undefined,
  })
  if (!may('create:bindings'))
    return <p class="note">{t('order.needs', { permission: 'create:bindings' })}</p>
  return (
    <form class="order" noValidate onSubmit={(event) => event.preventDefault()}>
      <div class="field label">
        <div class="name-line">
          <label for="binding-id">{t('bind.id')}</label>
        </div>
        <p class="about" id="binding-id-about">
          {t('bind.idHint')}
        </p>
        <input
          id="binding-id"
          class="mono"
          aria-describedby="binding-id-about"
          maxLength={255}
          autocomplete="off"
          value={id}
          onInput={(event) => setId(event.currentTarget.value)}
        />
      </div>
      <h2>{t('order.parameters')}</h2>
      <SchemaForm filling={filling} />
      <OrderPanel
        filling={filling}
        label={t('bind.submit')}
        command={['chandler', 'binding', 'bind', instance.id, ...(id === '' ? [] : [id])]}
        order={async (idempotencyKey) => {
          const body = wish(filling.state.value)
          const answered = await send(calls.bind, { path, body, idempotencyKey })
          if (answered.kind === 'done') forgetId()
          return answered
        }}
      />
    </form>
  )
}
