/** One tenant: what it has of what it may have, what is decided for it, what it sees, and its instances. */
import { useState } from 'preact/hooks'
import type { TenantDetail } from '../../api/access.ts'
import type { InstancePage } from '../../api/instance.ts'
import { calls } from '../calls.ts'
import { instancesOfTenant } from '../first-asks.ts'
import { InstanceTable } from '../instance/table.tsx'
import { ifMay, type Loaded, useLoaded } from '../load.ts'
import type { PageProps } from '../page-props.ts'
import { Command } from '../parts/copy.tsx'
import { NotYet } from '../parts/not-yet.tsx'
import { ProblemNote } from '../parts/problem.tsx'
import { useTitle } from '../parts/title.ts'
import { href } from '../router.ts'
import { send } from '../send.ts'
import { may, mayEverywhere } from '../session.ts'
import { ChangedDecision, NewDecision, RemovedDecision } from '../tenant/decide.tsx'
import { Erasure } from '../tenant/erasure.tsx'
import { RuleTable } from '../tenant/rules.tsx'
import { Sight } from '../tenant/sight.tsx'
import { Use } from '../tenant/use.tsx'
import { t } from '../texts.ts'

export function TenantPage({ params }: PageProps) {
  const name = params['tenant'] ?? ''
  useTitle(name)
  const loaded = useLoaded(`tenant ${name}`, (manner) =>
    send(calls.tenant, { path: { tenant: name }, ...manner }),
  )
  const instances = useLoaded(`instances of ${name}`, (manner) =>
    ifMay('read:instances', () =>
      send(calls.instances, { path: {}, query: instancesOfTenant(name), ...manner }),
    ),
  )
  const tenant = loaded.value
  if (tenant === undefined)
    return (
      <>
        <h1>{name}</h1>
        <NotYet of={loaded} />
      </>
    )
  return (
    <>
      <h1>{name}</h1>
      {name.endsWith('*') ? <p class="lead">{t('tenants.group')}</p> : null}
      {loaded.problem === undefined ? null : <ProblemNote problem={loaded.problem} again={loaded.reload} />}
      <h2>{t('tenants.has')}</h2>
      <UseTable tenant={tenant} />
      <h2>{t('tenants.decided')}</h2>
      <RuleTable tenant={tenant} />
      {mayEverywhere('change:tenants') ? <Acts tenant={tenant} done={loaded.reload} /> : null}
      <Sight {...tenant} />
      {may('read:instances') ? <Instances name={name} list={instances} /> : null}
      {may('read:audit') ? (
        <p class="after-table">
          <a href={href('/audit', { object: name })}>{t('tenants.audit')}</a>
        </p>
      ) : null}
      {mayEverywhere('change:tenants') && hasNothing(tenant) ? <Erasure key={name} name={name} /> : null}
      <Command words={['chandler', 'tenant', 'show', name]} />
    </>
  )
}

/** A name of several tenants has no key to erase. */
function hasNothing({ name, instances }: TenantDetail): boolean {
  return instances === 0 && !name.endsWith('*')
}

/** Its own quotas, and those that it shares with others. */
function UseTable({
  tenant: { name: ownName, instances, bindings, quotas, shared },
}: {
  readonly tenant: TenantDetail
}) {
  const own = { instances, bindings }
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('tenants.whose')}</th>
          <th scope="col">{t('instances.title')}</th>
          <th scope="col">{t('instance.bindings')}</th>
        </tr>
      </thead>
      <tbody>
        <tr>
          <th scope="row">{t(ownName.endsWith('*') ? 'tenants.together' : 'tenants.own')}</th>
          {(['instances', 'bindings'] as const).map((kind) => (
            <td key={kind}>
              <Use used={own[kind]} most={quotas[kind]} />
            </td>
          ))}
        </tr>
        {shared.map(({ name, ...each }) => (
          <tr key={name}>
            <th scope="row">{t('tenants.sharedBy', { name })}</th>
            {(['instances', 'bindings'] as const).map((kind) => {
              const use = each[kind]
              return <td key={kind}>{use === undefined ? null : <Use {...use} />}</td>
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

interface ActsProps {
  readonly tenant: TenantDetail
  readonly done: () => void
}

/** What was decided by command can be changed; what stands in the configuration is changed there. */
function Acts({ tenant: { name, rules }, done }: ActsProps) {
  const [asked, setAsked] = useState<'change' | 'remove'>()
  const close = (): void => setAsked(undefined)
  const rule = rules.find((one) => one.name === name)
  if (rule?.from === 'configuration')
    return <p class="quiet small configured">{t('tenants.configured', { name })}</p>
  return (
    <div class="acts">
      <button type="button" onClick={() => setAsked('change')}>
        {t(rule === undefined ? 'tenants.begin' : 'tenants.change')}
      </button>
      {rule === undefined ? null : (
        <button type="button" class="danger" onClick={() => setAsked('remove')}>
          {t('tenants.remove')}
        </button>
      )}
      {asked === 'change' && rule === undefined ? (
        <NewDecision name={name} made={done} close={close} />
      ) : null}
      {asked === 'change' && rule !== undefined ? (
        <ChangedDecision rule={rule} done={done} close={close} />
      ) : null}
      {asked === 'remove' && rule !== undefined ? (
        <RemovedDecision rule={rule} done={done} close={close} />
      ) : null}
    </div>
  )
}

interface InstancesProps {
  readonly name: string
  readonly list: Loaded<InstancePage | null>
}

function Instances({ name, list }: InstancesProps) {
  const page = list.value
  return (
    <>
      <h2>{t('instances.title')}</h2>
      {page === undefined || page === null ? <NotYet of={list} /> : null}
      {page?.items.length === 0 ? <p class="quiet">{t('tenants.noInstances')}</p> : null}
      {page && page.items.length > 0 ? <InstanceTable items={page.items} /> : null}
      {page?.next === undefined ? null : (
        <p class="after-table">
          <a href={href('/instances', { tenant: name })}>{t('tenants.allInstances')}</a>
        </p>
      )}
    </>
  )
}
