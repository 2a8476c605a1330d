/** One package: where it comes from, what it offers, what is wrong with it, and what its author should mend. */
import { useMemo } from 'preact/hooks'
import type { Package, PackageContent } from '../../api/package.ts'
import { calls } from '../calls.ts'
import { FormPreview } from '../fields/schema-form.tsx'
import { serviceLink } from '../links.ts'
import { useLoaded } from '../load.ts'
import type { PageProps } from '../page-props.ts'
import { Command } from '../parts/copy.tsx'
import { NotYet } from '../parts/not-yet.tsx'
import { ProblemNote } from '../parts/problem.tsx'
import { State } from '../parts/state.tsx'
import { Ago } from '../parts/time.tsx'
import { useTitle } from '../parts/title.ts'
import { Warnings } from '../parts/warnings.tsx'
import { send } from '../send.ts'
import { t } from '../texts.ts'

export function PackagePage({ params }: PageProps) {
  const name = params['name'] ?? ''
  useTitle(name)
  const loaded = useLoaded(`package ${name}`, (manner) => send(calls.package, { path: { name }, ...manner }))
  const { value } = loaded
  if (value === undefined)
    return (
      <>
        <h1>{name}</h1>
        <NotYet of={loaded} />
      </>
    )
  return (
    <>
      <div class="head">
        <h1>{name}</h1>
        <State of={value.state} />
        <span class="quiet">
          <Ago at={value.updatedAt} />
        </span>
      </div>
      {value.content?.summary === undefined ? null : <p class="lead">{value.content.summary}</p>}
      <Problems of={value} />
      <Warnings warnings={value.warnings ?? []} />
      <Origin of={value} />
      {value.content === undefined ? null : <Content content={value.content} />}
      <Command words={['chandler', 'package', 'show', name]} />
      <Command words={['chandler', 'package', 'check', value.reference]} />
    </>
  )
}

function Problems({ of: { problems = [] } }: { readonly of: Package }) {
  if (problems.length === 0) return null
  return (
    <>
      <h2>{t('package.problems')}</h2>
      {problems.map((problem, i) => (
        <ProblemNote key={`${problem.code} ${i}`} problem={problem} />
      ))}
    </>
  )
}

function Origin({ of: { reference, digest, contract, source, listing, content } }: { readonly of: Package }) {
  const facts = [
    [t('packages.contract'), contract],
    [t('packages.reference'), reference],
    [t('package.digest'), digest],
    [t('package.version'), content?.version],
    [t('package.authors'), content?.authors?.join(', ')],
    [t('package.source'), source],
  ] as const
  return (
    <>
      <dl class="facts spaced">
        {facts.map(([name, value]) =>
          value === undefined || value === '' ? null : (
            <div key={name}>
              <dt>{name}</dt>
              <dd>
                <code>{value}</code>
              </dd>
            </div>
          ),
        )}
      </dl>
      {listing === undefined ? null : (
        <p>
          {t('package.listing', {
            images: listing.images,
            offered: listing.offered,
            refused: listing.refused,
          })}
        </p>
      )}
    </>
  )
}

function Content({ content: { services, actions } }: { readonly content: PackageContent }) {
  return (
    <>
      <h2>{t('package.services')}</h2>
      {services.map((service) => (
        <section class="sheet" key={service.name} aria-label={service.name}>
          <h3>
            <a href={serviceLink(service.name)}>{service.name}</a>
          </h3>
          <p>{service.description}</p>
          <ul>
            {service.plans.map((plan) => (
              <li key={plan.name}>
                <strong>{plan.name}</strong> <span class="quiet">{plan.description}</span>
                <PlanForm plan={plan} />
              </li>
            ))}
          </ul>
        </section>
      ))}
      {actions.length === 0 ? null : (
        <>
          <h2>{t('package.actions')}</h2>
          <ul>
            {actions.map((action) => (
              <li key={action.name}>
                <code>{action.name}</code> <span class="quiet">{action.description}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

type Plan = PackageContent['services'][number]['plans'][number]

/** What is asked of a person that orders it. */
function PlanForm({ plan: { schemas } }: { readonly plan: Plan }) {
  const form = useMemo(() => ({ schema: schemas.create, definition: [] }), [schemas])
  if (schemas.create === undefined) return null
  return (
    <details>
      <summary>{t('package.form')}</summary>
      <FormPreview plan={form} />
    </details>
  )
}
