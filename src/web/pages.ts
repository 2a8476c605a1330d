/** Every page: its address, its name, and where it is loaded from when it is needed. */
import type { ComponentType } from 'preact'
import type { Permission } from '../model/access.ts'
import type { PageProps } from './page-props.ts'
import type { TextKey } from './texts.ts'

export interface Page {
  /** `/instances/:platform/:instance` */
  readonly pattern: string
  readonly title: TextKey
  /** Named in the navigation, in this order. */
  readonly isInNavigation?: true
  /** The permission that it takes; absent: none. */
  readonly needs?: Permission
  readonly load: () => Promise<ComponentType<PageProps>>
}

export const pages: readonly Page[] = [
  {
    pattern: '/',
    title: 'nav.home',
    isInNavigation: true,
    load: async () => (await import('./pages/home.tsx')).HomePage,
  },
  {
    pattern: '/catalog',
    title: 'nav.catalog',
    isInNavigation: true,
    load: async () => (await import('./pages/catalog.tsx')).CatalogPage,
  },
  {
    pattern: '/catalog/:service',
    title: 'nav.service',
    load: async () => (await import('./pages/service.tsx')).ServicePage,
  },
  {
    pattern: '/order/:service/:plan',
    title: 'nav.order',
    load: async () => (await import('./pages/order.tsx')).OrderPage,
  },
  {
    pattern: '/instances/:platform/:instance/update',
    title: 'nav.update',
    load: async () => (await import('./pages/update.tsx')).UpdatePage,
  },
  {
    pattern: '/instances/:platform/:instance/bind',
    title: 'nav.bind',
    load: async () => (await import('./pages/bind.tsx')).BindPage,
  },
  {
    pattern: '/instances',
    title: 'instances.title',
    isInNavigation: true,
    load: async () => (await import('./pages/instances.tsx')).InstancesPage,
  },
  {
    pattern: '/instances/:platform/:instance',
    title: 'instances.title',
    load: async () => (await import('./pages/instance.tsx')).InstancePage,
  },
  {
    pattern: '/operations',
    title: 'operations.title',
    isInNavigation: true,
    load: async () => (await import('./pages/operations.tsx')).OperationsPage,
  },
  {
    pattern: '/operations/:operation',
    title: 'operations.title',
    load: async () => (await import('./pages/operation.tsx')).OperationPage,
  },
  {
    pattern: '/packages',
    title: 'packages.title',
    isInNavigation: true,
    needs: 'read:packages',
    load: async () => (await import('./pages/packages.tsx')).PackagesPage,
  },
  {
    pattern: '/packages/:name',
    title: 'packages.title',
    load: async () => (await import('./pages/package.tsx')).PackagePage,
  },
  {
    pattern: '/nodes',
    title: 'nodes.title',
    isInNavigation: true,
    needs: 'read:cluster',
    load: async () => (await import('./pages/nodes.tsx')).NodesPage,
  },
  {
    pattern: '/audit',
    title: 'audit.title',
    isInNavigation: true,
    needs: 'read:audit',
    load: async () => (await import('./pages/audit.tsx')).AuditPage,
  },
  {
    pattern: '/account',
    title: 'nav.account',
    load: async () => (await import('./pages/account.tsx')).AccountPage,
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

function paramsOf(pattern: string, path: string): PageProps['params'] | undefined {
  const wanted = pattern.split('/')
  const given = path.replace(/(?<=.)\/$/, '').split('/')
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [i, part] of wanted.entries()) {
    const word = given[i] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = decoded(word)
    else if (part !== word) return undefined
  }
  return params
}

function decoded(word: string): string {
  try {
    return decodeURIComponent(word)
  } catch {
    return word
  }
}
