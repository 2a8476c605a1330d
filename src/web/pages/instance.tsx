/** One instance: its state in a sentence, what to do, and everything about it in tabs. */
import type { InstanceDetail } from '../../api/instance.ts'
import { calls } from '../calls.ts'
import { operationsOf } from '../first-asks.ts'
import { ActionsTab } from '../instance/actions.tsx'
import { AuditTab } from '../instance/audit.tsx'
import { BindingsTab } from '../instance/bindings.tsx'
import { FilesTab } from '../instance/files.tsx'
import { Overview } from '../instance/overview.tsx'
import { Standing } from '../instance/standing.tsx'
import { instanceLink } from '../links.ts'
import { useLoaded } from '../load.ts'
import { OperationTable } from '../operation/table.tsx'
import type { PageProps } from '../page-props.ts'
import { NotYet } from '../parts/not-yet.tsx'
import { Paging } from '../parts/paging.tsx'
import { reachable } from '../parts/reachable.ts'
import { useTitle } from '../parts/title.ts'
import { Unread } from '../parts/unread.tsx'
import { address } from '../router.ts'
import { send } from '../send.ts'
import { may } from '../session.ts'
import { t } from '../texts.ts'

const tabs = ['overview', 'bindings', 'operations', 'parameters', 'files', 'actions', 'audit'] as const
type Tab = (typeof tabs)[number]

export function InstancePage({ params }: PageProps) {
  const { platform = '', instance = '' } = params
  const key = { platform, instance }
  const loaded = useLoaded(`instance ${platform} ${instance}`, (manner) =>
    send(calls.instance, { path: key, ...manner }),
  )
  const name = loaded.value?.name ?? instance
  useTitle(name)
  if (loaded.value === undefined) return <Unread title={instance} of={[loaded]} />
  const wanted = address.value.query.get('tab')
  const tab = tabs.find((one) => one === wanted) ?? 'overview'
  const shown = tabs.filter((one) => one !== 'audit' || may('read:audit'))
  return (
    <>
      <Standing detail={loaded.value} />
      <nav class="subnav" aria-label={t('instance.tabs')}>
        <ul>
          {shown.map((one) => (
            <li key={one}>
              <a
                href={instanceLink(key, one === 'overview' ? undefined : one)}
                aria-current={one === tab ? 'page' : undefined}
              >
                {t(`instance.${one}`)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <Content tab={tab} detail={loaded.value} />
    </>
  )
}

function Content({ tab, detail }: { readonly tab: Tab; readonly detail: InstanceDetail }) {
  switch (tab) {
    case 'overview':
      return <Overview detail={detail} />
    case 'bindings':
      return <BindingsTab detail={detail} />
    case 'operations':
      return <OperationsTab detail={detail} />
    case 'parameters':
      return <ParametersTab detail={detail} />
    case 'files':
      return <FilesTab detail={detail} />
    case 'actions':
      return <ActionsTab detail={detail} />
    case 'audit':
      return <AuditTab detail={detail} />
  }
}

function OperationsTab({ detail: { platform, id } }: { readonly detail: InstanceDetail }) {
  const { query } = address.value
  const list = useLoaded(`operations ${platform} ${id} ${query.get('cursor')}`, (manner) =>
    send(calls.operations, { path: {}, query: operationsOf(platform, id, query), ...manner }),
  )
  if (list.value === undefined) return <NotYet of={list} />
  if (list.value.items.length === 0) return <p>{t('instance.noOperations')}</p>
  return (
    <>
      <OperationTable operations={list.value.items} ofOne />
      <Paging next={list.value.next} />
    </>
  )
}

function ParametersTab({ detail: { parameters = {} } }: { readonly detail: InstanceDetail }) {
  if (Object.keys(parameters).length === 0) return <p>{t('instance.noParameters')}</p>
  return (
    <>
      <p class="quiet">{t('instance.parametersLead')}</p>
      <pre {...reachable}>{JSON.stringify(parameters, null, 2)}</pre>
    </>
  )
}
