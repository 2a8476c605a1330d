/** What can be ordered: cards with search and facets, all of which stand in the address. */
import type { CatalogService } from '../../api/catalog.ts'
import { calls } from '../calls.ts'
import { useLoaded } from '../load.ts'
import { displayName, iconOf } from '../offer.ts'
import { Mark } from '../parts/mark.tsx'
import { NotYet } from '../parts/not-yet.tsx'
import { useTitle } from '../parts/title.ts'
import { address, go, href } from '../router.ts'
import { send } from '../send.ts'
import { type TextKey, t } from '../texts.ts'

interface Filter {
  readonly q?: string | undefined
  readonly contract?: string | undefined
  readonly tag?: string | undefined
}

export function CatalogPage() {
  useTitle(t('nav.catalog'))
  const loaded = useLoaded('catalog', (manner) => send(calls.catalog, { path: {}, ...manner }))
  const { query } = address.value
  const filter: Filter = {
    q: query.get('q') ?? undefined,
    contract: query.get('contract') ?? undefined,
    tag: query.get('tag') ?? undefined,
  }
  if (loaded.value === undefined)
    return (
      <>
        <h1>{t('nav.catalog')}</h1>
        <NotYet of={loaded} />
      </>
    )
  const { services } = loaded.value
  const found = services.filter((service) => isWanted(service, filter))
  return (
    <>
      <h1>{t('nav.catalog')}</h1>
      {services.length === 0 ? (
        <>
          <p class="calm">{t('catalog.empty')}</p>
          <p class="quiet">{t('catalog.emptyHint')}</p>
        </>
      ) : (
        <>
          <Filters services={services} filter={filter} />
          <p class="quiet" role="status">
            {found.length === 0 ? t('catalog.noMatch') : t('catalog.count', { n: found.length })}
          </p>
          {found.length === 0 ? <a href={href('/catalog')}>{t('list.showAll')}</a> : null}
          <ul class="cards">
            {found.map((service) => (
              <Card key={service.id} service={service} />
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function isWanted(service: CatalogService, { q = '', contract, tag }: Filter): boolean {
  const { name, description, tags, plans } = service
  const text = [name, displayName(service), description, ...tags, ...plans.map((plan) => plan.name)]
    .join(' ')
    .toLowerCase()
  return (
    q
      .toLowerCase()
      .split(/\s+/)
      .every((word) => text.includes(word)) &&
    (contract === undefined || service.package.contract === contract) &&
    (tag === undefined || tags.includes(tag))
  )
}

function Filters({
  services,
  filter,
}: {
  readonly services: readonly CatalogService[]
  readonly filter: Filter
}) {
  const change = (more: Filter) =>
    go(href('/catalog', { ...filter, ...more } as Record<string, string>), 'replace')
  const contracts = services.map((one) => one.package.contract)
  const tags = services.flatMap((one) => one.tags)
  return (
    <search class="filters">
      <label>
        {t('catalog.search')}
        <input
          type="search"
          value={filter.q ?? ''}
          onInput={(event) => change({ q: event.currentTarget.value })}
        />
      </label>
      <Facet
        name="catalog.contract"
        values={contracts}
        chosen={filter.contract}
        choose={(contract) => change({ contract })}
      />
      <Facet name="catalog.tag" values={tags} chosen={filter.tag} choose={(tag) => change({ tag })} />
    </search>
  )
}

interface FacetProps {
  readonly name: TextKey
  readonly values: readonly string[]
  readonly chosen: string | undefined
  readonly choose: (value: string | undefined) => void
}

function Facet({ name, values, chosen, choose }: FacetProps) {
  const distinct = [...new Set(values)].sort()
  if (distinct.length < 2) return null
  return (
    <label>
      {t(name)}
      <select value={chosen ?? ''} onChange={(event) => choose(event.currentTarget.value || undefined)}>
        <option value="">{t('catalog.all')}</option>
        {distinct.map((value) => (
          <option key={value} value={value}>
            {value} ({values.filter((one) => one === value).length})
          </option>
        ))}
      </select>
    </label>
  )
}

function Card({ service }: { readonly service: CatalogService }) {
  const { name, description, plans, tags } = service
  const count = plans.reduce((sum, plan) => sum + plan.instances, 0)
  return (
    <li class="card">
      <ServiceIcon service={service} />
      <div>
        <h2>
          <a href={href(`/catalog/${encodeURIComponent(name)}`)}>{displayName(service)}</a>
        </h2>
        {displayName(service) === name ? null : <code class="quiet">{name}</code>}
        <p class="clamped">{description}</p>
        <p class="quiet small">
          {t('catalog.plans', { n: plans.length })}
          {' · '}
          {t('catalog.instances', { n: count })}
          {' · '}
          {service.package.contract}
        </p>
        {tags.length === 0 ? null : (
          <ul class="tags">
            {tags.slice(0, 6).map((tag) => (
              <li key={tag}>{tag}</li>
            ))}
          </ul>
        )}
      </div>
    </li>
  )
}

/** The icon of a service; the mark of the product where its author gave none. */
export function ServiceIcon({ service }: { readonly service: Pick<CatalogService, 'metadata'> }) {
  const icon = iconOf(service.metadata)
  if (icon === undefined) {
    return (
      <span class="icon none">
        <Mark />
      </span>
    )
  }
  return <img class="icon" src={icon} alt="" width="40" height="40" />
}
