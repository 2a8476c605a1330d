/**
 * Every page: its address, its name, and what it shows. All are in the first script, for together they are small:
 * one that is fetched when it is needed stands later, and may not come at all.
 */
import type { ComponentType } from 'preact'
import type { Permission } from '../model/access.ts'
import type { PageProps } from './page-props.ts'
import { AccountPage } from './pages/account.tsx'
import { AuditPage } from './pages/audit.tsx'
import { BindPage } from './pages/bind.tsx'
import { CatalogPage } from './pages/catalog.tsx'
import { HomePage } from './pages/home.tsx'
import { InstancePage } from './pages/instance.tsx'
import { InstancesPage } from './pages/instances.tsx'
import { NodesPage } from './pages/nodes.tsx'
import { OperationPage } from './pages/operation.tsx'
import { OperationsPage } from './pages/operations.tsx'
import { OrderPage } from './pages/order.tsx'
import { PackagePage } from './pages/package.tsx'
import { PackagesPage } from './pages/packages.tsx'
import { ServicePage } from './pages/service.tsx'
import { TenantPage } from './pages/tenant.tsx'
import { TenantsPage } from './pages/tenants.tsx'
import { UpdatePage } from './pages/update.tsx'
import { paramsOf } from './pattern.ts'
import type { TextKey } from './texts.ts'

export interface Page {
  /** `/instances/:platform/:instance` */
  readonly pattern: string
  readonly title: TextKey
  /** Named in the navigation, in this order. */
  readonly isInNavigation?: true
  /** The permission that it takes; absent: none. */
  readonly needs?: Permission
  readonly content: ComponentType<PageProps>
}

export const pages: readonly Page[] = [
  {
    pattern: '/',
    title: 'nav.home',
    isInNavigation: true,
    content: HomePage,
  },
  {
    pattern: '/catalog',
    title: 'nav.catalog',
    isInNavigation: true,
    content: CatalogPage,
  },
  {
    pattern: '/catalog/:service',
    title: 'nav.service',
    content: ServicePage,
  },
  {
    pattern: '/order/:service/:plan',
    title: 'nav.order',
    content: OrderPage,
  },
  {
    pattern: '/instances/:platform/:instance/update',
    title: 'nav.update',
    content: UpdatePage,
  },
  {
    pattern: '/instances/:platform/:instance/bind',
    title: 'nav.bind',
    content: BindPage,
  },
  {
    pattern: '/instances',
    title: 'instances.title',
    isInNavigation: true,
    content: InstancesPage,
  },
  {
    pattern: '/instances/:platform/:instance',
    title: 'instances.title',
    content: InstancePage,
  },
  {
    pattern: '/operations',
    title: 'operations.title',
    isInNavigation: true,
    content: OperationsPage,
  },
  {
    pattern: '/operations/:operation',
    title: 'operations.title',
    content: OperationPage,
  },
  {
    pattern: '/packages',
    title: 'packages.title',
    isInNavigation: true,
    needs: 'read:packages',
    content: PackagesPage,
  },
  {
    pattern: '/packages/:name',
    title: 'packages.title',
    content: PackagePage,
  },
  {
    pattern: '/tenants',
    title: 'tenants.title',
    isInNavigation: true,
    needs: 'read:tenants',
    content: TenantsPage,
  },
  {
    pattern: '/tenants/:tenant',
    title: 'tenants.title',
    needs: 'read:tenants',
    content: TenantPage,
  },
  {
    pattern: '/nodes',
    title: 'nodes.title',
    isInNavigation: true,
    needs: 'read:cluster',
    content: NodesPage,
  },
  {
    pattern: '/audit',
    title: 'audit.title',
    isInNavigation: true,
    needs: 'read:audit',
    content: AuditPage,
  },
  {
    pattern: '/account',
    title: 'nav.account',
    content: AccountPage,
  },
]

/** The page at a path with what its pattern names; undefined: there is none. */
export function pageAt(
  path: string,
): { readonly page: Page; readonly params: PageProps['params'] } | undefined {
  for (const page of pages) {
    const params = paramsOf(page.pattern, path)
    if (params !== undefined) return { page, params }
  }
  return undefined
}
