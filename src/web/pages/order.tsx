/** Orders an instance of a plan by the form of its schema; or once more, with other inputs, one that failed. */
import { useMemo } from 'preact/hooks'
import type { CatalogPlan, CatalogService } from '../../api/catalog.ts'
import type { Operation } from '../../api/operation.ts'
import type { JsonObject } from '../../kit/json.ts'
import { calls } from '../calls.ts'
import { useKeptText } from '../fields/kept-text.ts'
import { OrderPanel } from '../fields/order-panel.tsx'
import { SchemaForm } from '../fields/schema-form.tsx'
import { useFilling } from '../fields/use-filling.ts'
import { definitionIn } from '../form/definition.ts'
import { useLoaded } from '../load.ts'
import { costOf, displayName, planNamed, serviceNamed } from '../offer.ts'
import { retryWith, useFailed } from '../operation/again.ts'
import type { PageProps } from '../page-props.ts'
import { useTitle } from '../parts/title.ts'
import { Unread } from '../parts/unread.tsx'
import { href } from '../router.ts'
import { send } from '../send.ts'
import { may } from '../session.ts'
import { t } from '../texts.ts'
import { NoSuch } from './service.tsx'

export function OrderPage({ params }: PageProps) {
  const { service: name = '', plan: planName = '' } = params
  const catalog = useLoaded('catalog', (manner) => send(calls.catalog, { path: {}, ...manner }))
  const failed = useFailed()
  const service = catalog.value && serviceNamed(catalog.value.services, name)
  const plan = planNamed(service, planName)
  const title = t('order.title', { service: service === undefined ? name : displayName(service) })
  useTitle(title)
  if (catalog.value === undefined || failed.isOpen) return <Unread title={title} of={[catalog, failed]} />
  if (service === undefined) return <NoSuch text={t('catalog.unknown', { name })} />
  if (plan === undefined) return <NoSuch text={t('catalog.unknownPlan', { name: planName })} />
  return (
    <>
      <p class="crumbs">
        <a href={href('/catalog')}>{t('nav.catalog')}</a> ›{' '}
        <a href={href(`/catalog/${encodeURIComponent(service.name)}`)}>{displayName(service)}</a>
      </p>
      <h1>{t('order.title', { service: displayName(service) })}</h1>
      <p class="lead">
        {displayName(plan)}
        {costOf(plan) === undefined ? null : <span class="quiet"> · {costOf(plan)}</span>}
        <span class="quiet"> · {plan.description}</span>
      </p>
      {failed.operation === undefined ? null : <p class="note">{t('order.again')}</p>}
      <OrderForm key={plan.id} service={service} plan={plan} failed={failed.operation} />
    </>
  )
}

interface FormProps {
  readonly service: CatalogService
  readonly plan: CatalogPlan
  /** What is ordered once more; absent: something new is. */
  readonly failed: Operation | undefined
}

function OrderForm({ service, plan, failed }: FormProps) {
  const form = useMemo(
    () => ({ schema: plan.schemas.create, definition: definitionIn(plan.metadata, 'create') }),
    [plan.id],
  )
  const key = `order ${service.id} ${plan.id} ${failed?.id ?? ''}`.trim()
  const [name, setName, forgetName] = useKeptText(key)
  const wish = (parameters: JsonObject) => ({
    service: service.id,
    plan: plan.id,
    parameters,
    ...(name === '' ? {} : { name }),
  })
  const filling = useFilling({
    key,
    plan: form,
    ...(failed?.parameters === undefined ? {} : { given: failed.parameters }),
    check: may('create:instances')
      ? (value, signal) => send(calls.tryOrder, { path: {}, body: wish(value), signal, isRefresh: true })
      : undefined,
  })
  if (!may('create:instances'))
    return <p class="note">{t('order.needs', { permission: 'create:instances' })}</p>
  return (
    <form class="order" noValidate onSubmit={(event) => event.preventDefault()}>
      {failed === undefined ? <NameField name={name} setName={setName} /> : null}
      <h2>{t('order.parameters')}</h2>
      <SchemaForm filling={filling} />
      <OrderPanel
        filling={filling}
        label={t('order.submit')}
        command={
          failed === undefined
            ? ['chandler', 'instance', 'provision', service.name, plan.name, ...(name === '' ? [] : [name])]
            : ['chandler', 'operation', 'retry', failed.id]
        }
        order={async (idempotencyKey) => {
          const { value } = filling.state
          if (failed !== undefined) return retryWith(failed.id, value, idempotencyKey)
          const answered = await send(calls.order, { path: {}, body: wish(value), idempotencyKey })
          if (answered.kind === 'done') forgetName()
          return answered
        }}
      />
    </form>
  )
}

function NameField({ name, setName }: { readonly name: string; readonly setName: (name: string) => void }) {
  return (
    <div class="field label">
      <div class="name-line">
        <label for="instance-name">{t('order.name')}</label>
      </div>
      <p class="about" id="instance-name-about">
        {t('order.nameHint')}
      </p>
      <input
        id="instance-name"
        aria-describedby="instance-name-about"
        maxLength={255}
        autocomplete="off"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
    </div>
  )
}
