/** One service: its plans side by side, what they ask for, and what its package says about itself. */
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { CatalogPlan, CatalogService } from '../../api/catalog.ts'
import type { PackageContent } from '../../api/package.ts'
import { calls } from '../calls.ts'
import { FormPreview } from '../fields/schema-form.tsx'
import { definitionIn, type Which } from '../form/definition.ts'
import { ifMay, useLoaded } from '../load.ts'
import { isHarmless } from '../markdown.ts'
import { costOf, displayName, planNamed, pointsOf, serviceNamed, textIn } from '../offer.ts'
import type { PageProps } from '../page-props.ts'
import { Markdown } from '../parts/markdown.tsx'
import { useTitle } from '../parts/title.ts'
import { Unread } from '../parts/unread.tsx'
import { WideTable } from '../parts/wide-table.tsx'
import { address, go, href } from '../router.ts'
import { send } from '../send.ts'
import { may } from '../session.ts'
import { t } from '../texts.ts'
import { ServiceIcon } from './catalog.tsx'

export function ServicePage({ params }: PageProps) {
  const { service: name = '' } = params
  const catalog = useLoaded('catalog', (manner) => send(calls.catalog, { path: {}, ...manner }))
  const service = catalog.value && serviceNamed(catalog.value.services, name)
  useTitle(service === undefined ? name : displayName(service))
  if (catalog.value === undefined) return <Unread title={name} of={[catalog]} />
  if (service === undefined) return <NoSuch text={t('catalog.unknown', { name })} />
  const chosen = planNamed(service, address.value.query.get('plan') ?? undefined) ?? service.plans[0]
  return (
    <>
      <header class="service-head">
        <ServiceIcon service={service} />
        <div>
          <h1>{displayName(service)}</h1>
          <p>{service.description}</p>
        </div>
      </header>
      <h2>{t('service.plans')}</h2>
      <Plans service={service} />
      {chosen === undefined ? null : <Asks service={service} plan={chosen} />}
      <About service={service} />
    </>
  )
}

/** A service or plan that the catalog does not have. */
export function NoSuch({ text }: { readonly text: string }) {
  return (
    <>
      <h1>{t('missing.title')}</h1>
      <p>{text}</p>
      <p>
        <a href={href('/catalog')}>{t('catalog.back')}</a>
      </p>
    </>
  )
}

function Plans({ service }: { readonly service: CatalogService }) {
  const { plans } = service
  const yesNo = (is: boolean): string => t(is ? 'service.yes' : 'service.no')
  return (
    <WideTable label={t('service.plans')}>
      <table class="plans">
        <thead>
          <tr>
            <td />
            {plans.map((plan) => (
              <th key={plan.id} scope="col">
                {displayName(plan)}
                {displayName(plan) === plan.name ? null : <code class="quiet"> {plan.name}</code>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <PlanRow title={t('service.description')} plans={plans} cell={(plan) => <PlanText plan={plan} />} />
          <PlanRow
            title={t('service.cost')}
            plans={plans}
            cell={(plan) => costOf(plan) ?? t(plan.free ? 'service.free' : 'service.notFree')}
          />
          <PlanRow title={t('service.bind')} plans={plans} cell={(plan) => yesNo(plan.bindable)} />
          <PlanRow title={t('service.change')} plans={plans} cell={(plan) => yesNo(plan.updatable)} />
          {plans.some(({ maintenance }) => maintenance !== undefined) ? (
            <PlanRow title={t('service.version')} plans={plans} cell={(plan) => plan.maintenance ?? ''} />
          ) : null}
          <PlanRow title={t('service.there')} plans={plans} cell={countOf} />
          <tr>
            <td />
            {plans.map((plan) => (
              <td key={plan.id}>
                <OrderLink service={service} plan={plan} />
              </td>
            ))}
          </tr>
        </tbody>
      </table>
    </WideTable>
  )
}

interface PlanRowProps {
  readonly title: string
  readonly plans: readonly CatalogPlan[]
  readonly cell: (plan: CatalogPlan) => ComponentChildren
}

function PlanRow({ title, plans, cell }: PlanRowProps) {
  return (
    <tr>
      <th scope="row">{title}</th>
      {plans.map((plan) => (
        <td key={plan.id}>{cell(plan)}</td>
      ))}
    </tr>
  )
}

function PlanText({ plan }: { readonly plan: CatalogPlan }) {
  const points = pointsOf(plan.metadata)
  return (
    <>
      {plan.description}
      {points.length === 0 ? null : (
        <ul>
          {points.map((point) => (
            <li key={point}>{point}</li>
          ))}
        </ul>
      )}
    </>
  )
}

function countOf({ instances, limit }: CatalogPlan): string {
  return limit === undefined ? String(instances) : t('service.of', { n: instances, limit })
}

function OrderLink({ service, plan }: { readonly service: CatalogService; readonly plan: CatalogPlan }) {
  if (!may('create:instances')) {
    return <span class="quiet small">{t('service.orderNeeds')}</span>
  }
  if (plan.limit !== undefined && plan.instances >= plan.limit) {
    return <span class="quiet small">{t('service.full', { limit: plan.limit })}</span>
  }
  return (
    <a
      class="button primary"
      aria-label={t('service.order', { plan: displayName(plan) })}
      href={href(`/order/${encodeURIComponent(service.name)}/${encodeURIComponent(plan.name)}`)}
    >
      {t('order.submit')}
    </a>
  )
}

/** The forms of a plan, to look at. */
function Asks({ service, plan }: { readonly service: CatalogService; readonly plan: CatalogPlan }) {
  const { name, plans } = service
  return (
    <section>
      <h2>{t('service.asks')}</h2>
      {plans.length < 2 ? null : (
        <label class="field">
          {t('service.plan')}
          <select
            value={plan.name}
            onChange={(event) =>
              go(href(`/catalog/${encodeURIComponent(name)}`, { plan: event.currentTarget.value }), 'replace')
            }
          >
            {plans.map((one) => (
              <option key={one.id} value={one.name}>
                {displayName(one)}
              </option>
            ))}
          </select>
        </label>
      )}
      <Preview key={`${plan.id} create`} plan={plan} which="create" />
      {plan.bindable && plan.schemas.bind !== undefined ? (
        <>
          <h3>{t('service.asksBind')}</h3>
          <Preview key={`${plan.id} bind`} plan={plan} which="bind" />
        </>
      ) : null}
    </section>
  )
}

function Preview({ plan, which }: { readonly plan: CatalogPlan; readonly which: Which }) {
  const form = useMemo(
    () => ({ schema: plan.schemas[which], definition: definitionIn(plan.metadata, which) }),
    [plan, which],
  )
  return <FormPreview plan={form} />
}

/** What the package says about itself. */
function About({ service }: { readonly service: CatalogService }) {
  const { digest } = service.package
  const packages = useLoaded('packages', (manner) =>
    ifMay('read:packages', () => send(calls.packages, { path: {}, ...manner })),
  )
  const name = packages.value?.items.find((one) => one.digest === digest && one.source === undefined)?.name
  const known = name ?? packages.value?.items.find((one) => one.digest === digest)?.name
  if (known === undefined) return <Facts service={service} content={undefined} />
  return <LoadedAbout service={service} name={known} />
}

function LoadedAbout({ service, name }: { readonly service: CatalogService; readonly name: string }) {
  const found = useLoaded(name, (manner) => send(calls.package, { path: { name }, ...manner }))
  return <Facts service={service} content={found.value?.content} />
}

function Facts({
  service,
  content,
}: {
  readonly service: CatalogService
  readonly content: PackageContent | undefined
}) {
  const { package: pkg, metadata } = service
  const links = Object.entries({
    ...content?.links,
    ...linkIn(textIn(metadata, 'documentationUrl')),
    ...linkIn(textIn(metadata, 'supportUrl')),
  }).filter(([, link]) => isHarmless(link))
  const text = content?.description ?? textIn(metadata, 'longDescription')
  return (
    <section>
      <h2>{t('service.about')}</h2>
      {text === undefined ? null : <Markdown text={text} below={2} />}
      <dl class="facts">
        <dt>{t('service.package')}</dt>
        <dd>
          {pkg.name} {pkg.version} <span class="quiet">({pkg.contract})</span>
        </dd>
        {content?.authors === undefined || content.authors.length === 0 ? null : (
          <>
            <dt>{t('service.authors')}</dt>
            <dd>{content.authors.join(', ')}</dd>
          </>
        )}
        {links.length === 0 ? null : (
          <>
            <dt>{t('service.links')}</dt>
            <dd>
              <ul class="plain">
                {links.map(([title, link]) => (
                  <li key={link}>
                    <a href={link} rel="noopener noreferrer" target="_blank">
                      {title}
                    </a>
                  </li>
                ))}
              </ul>
            </dd>
          </>
        )}
      </dl>
      <Files files={content?.files ?? []} />
    </section>
  )
}

function linkIn(link: string | undefined): Readonly<Record<string, string>> {
  return link === undefined ? {} : { [link]: link }
}

function Files({ files }: { readonly files: NonNullable<PackageContent['files']> }) {
  if (files.length === 0) return null
  return (
    <>
      <h3>{t('service.files')}</h3>
      {files.map(({ name, summary, description }) => (
        <details key={name}>
          <summary>
            <code>{name}</code> {summary}
          </summary>
          {description === undefined ? null : <Markdown text={description} below={4} />}
        </details>
      ))}
    </>
  )
}
