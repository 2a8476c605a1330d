/** Changes an instance: what it has now, what it will have, and the difference in words before it is sent. */
import { useMemo } from 'preact/hooks'
import type { CatalogPlan, CatalogService } from '../../api/catalog.ts'
import type { InstanceDetail } from '../../api/instance.ts'
import { isObject, type Json, type JsonObject, at as valueAt } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { calls } from '../calls.ts'
import { Differences } from '../fields/differences.tsx'
import { OrderPanel } from '../fields/order-panel.tsx'
import { SchemaForm } from '../fields/schema-form.tsx'
import { useFilling } from '../fields/use-filling.ts'
import { definitionIn } from '../form/definition.ts'
import { type PatchRules, patchOf } from '../form/difference.ts'
import { ChangePreview } from '../instance/change-preview.tsx'
import { useLoaded } from '../load.ts'
import { displayName, planNamed, serviceNamed } from '../offer.ts'
import { useFailed } from '../operation/again.ts'
import type { PageProps } from '../page-props.ts'
import { Barred } from '../parts/barred.tsx'
import { stateWord } from '../parts/state.tsx'
import { useTitle } from '../parts/title.ts'
import { Unread } from '../parts/unread.tsx'
import { address, go, href } from '../router.ts'
import { send } from '../send.ts'
import { may } from '../session.ts'
import { t } from '../texts.ts'
import { InstanceCrumbs } from './bind.tsx'

export function UpdatePage({ params }: PageProps) {
  const path = { platform: params['platform'] ?? '', instance: params['instance'] ?? '' }
  const found = useLoaded(JSON.stringify(path), (manner) => send(calls.instance, { path, ...manner }))
  const catalog = useLoaded('catalog', (manner) => send(calls.catalog, { path: {}, ...manner }))
  const failed = useFailed()
  const instance = found.value
  const name = instance?.name ?? path.instance
  useTitle(t('update.title', { name }))
  if (instance === undefined || catalog.value === undefined || failed.isOpen)
    return <Unread title={t('update.title', { name })} of={[found, catalog, failed]} />
  const service = serviceNamed(catalog.value.services, instance.service.id)
  const { query } = address.value
  const plan = planNamed(service, query.get('plan') ?? undefined) ?? planNamed(service, instance.plan.id)
  return (
    <>
      <InstanceCrumbs instance={instance} />
      <h1>{t('update.title', { name })}</h1>
      {instance.operation === undefined ? null : (
        <p class="note">{t('update.busy', { name, state: stateWord(instance.state) })}</p>
      )}
      {failed.operation === undefined ? null : <p class="note">{t('update.again')}</p>}
      {instance.barred.update === undefined ? null : <Barred why={instance.barred.update} />}
      {may('update:instances') ? null : (
        <p class="note">{t('order.needs', { permission: 'update:instances' })}</p>
      )}
      {may('update:instances') && instance.barred.update === undefined ? (
        <UpdateForm
          key={`${plan?.id} ${standingOf(instance)}`}
          instance={instance}
          service={service}
          plan={plan}
          version={query.get('version') ?? undefined}
          tried={failed.operation?.parameters}
        />
      ) : null}
    </>
  )
}

/** What a change starts from. Looks of the package touch the instance, too, and must not empty the form. */
function standingOf({ parameters, plan, maintenance }: InstanceDetail): string {
  return JSON.stringify([parameters, plan.id, maintenance])
}

interface FormProps {
  readonly instance: InstanceDetail
  readonly service: CatalogService | undefined
  /** The one to move to, or stay with; absent: it is offered no more. */
  readonly plan: CatalogPlan | undefined
  readonly version: string | undefined
  /** What a change that failed was to bring. */
  readonly tried?: JsonObject | undefined
}

function UpdateForm({ instance, service, plan, version, tried }: FormProps) {
  const path = { platform: instance.platform, instance: instance.id }
  const now = (instance.parameters ?? {}) as JsonObject
  const form = useMemo(() => formFor(plan), [plan?.id])
  const isOtherPlan = plan !== undefined && plan.id !== instance.plan.id
  const wish = (value: JsonObject) => ({
    parameters: patchOf(now, value, rulesOf(plan)),
    ...(isOtherPlan ? { plan: plan.id } : {}),
    ...present({ maintenance: version }),
  })
  const filling = useFilling({
    key: `update ${instance.platform} ${instance.id} ${plan?.id} ${standingOf(instance)}${tried === undefined ? '' : ' again'}`,
    plan: form,
    given: tried ?? now,
    check: (value, signal) => send(calls.tryChange, { path, body: wish(value), signal, isRefresh: true }),
  })
  const sent = wish(filling.state.value)
  const isIdle = Object.keys(sent.parameters).length === 0 && !isOtherPlan && version === undefined
  return (
    <form class="order" noValidate onSubmit={(event) => event.preventDefault()}>
      <Targets instance={instance} service={service} plan={plan} version={version} />
      <h2>{t('order.parameters')}</h2>
      <SchemaForm filling={filling} now={now} />
      <h2>{t('update.what')}</h2>
      {isOtherPlan ? (
        <p>{t('update.planWords', { from: instance.plan.name ?? instance.plan.id, to: plan.name })}</p>
      ) : null}
      {version === undefined ? null : (
        <p>
          {t('update.versionWords', { from: instance.maintenance ?? t('update.unversioned'), to: version })}
        </p>
      )}
      <Differences filling={filling} now={now} isIdle={isIdle} />
      <ChangePreview detail={instance} wish={sent} isOff={isIdle || instance.operation !== undefined} />
      <OrderPanel
        filling={filling}
        label={t('update.submit')}
        isOff={isIdle || instance.operation !== undefined}
        parameters={sent.parameters}
        command={[
          ...['chandler', 'instance', 'update', instance.id],
          ...(isOtherPlan ? ['--plan', plan.name] : []),
          ...(version === undefined ? [] : ['--maintenance', version]),
        ]}
        order={() => send(calls.change, { path, body: sent })}
      />
    </form>
  )
}

/** All that a plan knows, of which only what its update schema names may change. */
function formFor(plan: CatalogPlan | undefined) {
  const { create, update } = plan?.schemas ?? {}
  const definition = definitionIn(plan?.metadata, 'create')
  if (create === undefined || update === undefined) return { schema: update ?? create, definition }
  const open = membersIn(update)
  if (update['additionalProperties'] !== false) return { schema: create, definition }
  const members = Object.entries(membersIn(create)).map(([name, member]): readonly [string, Json] =>
    Object.hasOwn(open, name) || !isObject(member)
      ? [name, member]
      : [name, { ...(member as JsonObject), readOnly: true }],
  )
  return { schema: { ...create, properties: Object.fromEntries(members) }, definition }
}

function membersIn(schema: JsonObject | undefined): JsonObject {
  const members = schema?.['properties']
  return isObject(members) ? (members as JsonObject) : {}
}

function rulesOf(plan: CatalogPlan | undefined): PatchRules {
  const { create, update } = plan?.schemas ?? {}
  const members = { ...membersIn(create), ...membersIn(update) }
  const required = update?.['required']
  return {
    defaults: Object.fromEntries(
      Object.entries(members).map(([name, member]) => [
        name,
        valueAt(member, '/default') as Json | undefined,
      ]),
    ),
    always: Array.isArray(required) ? required.map(String) : [],
  }
}

function Targets({ instance, service, plan, version }: FormProps) {
  const plans = service?.plans ?? []
  const isMovable = plans.length > 1 && planNamed(service, instance.plan.id)?.updatable === true
  const offered = plan?.maintenance
  const isNewer = offered !== undefined && offered !== instance.maintenance
  const choose = (more: { readonly plan?: string; readonly version?: string | undefined }) => {
    const { platform, id } = instance
    const here = `/instances/${encodeURIComponent(platform)}/${encodeURIComponent(id)}/update`
    go(
      href(here, { ...(plan ? { plan: plan.name } : {}), ...(version ? { version } : {}), ...more } as Record<
        string,
        string
      >),
      'replace',
    )
  }
  return (
    <>
      {isMovable ? (
        <label class="field">
          {t('update.plan')}
          <select value={plan?.name ?? ''} onChange={(event) => choose({ plan: event.currentTarget.value })}>
            {plans.map((one) => (
              <option key={one.id} value={one.name}>
                {one.id === instance.plan.id
                  ? t('update.samePlan', { plan: displayName(one) })
                  : displayName(one)}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      {isNewer ? (
        <label class="option">
          <input
            type="checkbox"
            checked={version === offered}
            onChange={(event) => choose({ version: event.currentTarget.checked ? offered : undefined })}
          />
          {t('update.version', { version: offered })}
        </label>
      ) : null}
    </>
  )
}
