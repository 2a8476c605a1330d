/** The whole surface of the operator API. */
import { accessRoutes } from './access-routes.ts'
import { accountRoutes } from './account-routes.ts'
import { actionRoutes } from './action-routes.ts'
import { adoptionRoutes } from './adoption-routes.ts'
import { auditRoutes } from './audit-routes.ts'
import { bindingRoutes } from './binding-routes.ts'
import { changeRoutes } from './change-routes.ts'
import { instanceRoutes } from './instance-routes.ts'
import { operationRoutes } from './operation-routes.ts'
import { packageRoutes } from './package-routes.ts'
import type { Route } from './route.ts'
import { searchRoutes } from './search-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { systemRoutes } from './system-routes.ts'

export const operatorRoutes: readonly Route[] = [
  ...sessionRoutes,
  ...accessRoutes,
  ...accountRoutes,
  ...systemRoutes,
  ...packageRoutes,
  ...instanceRoutes,
  ...adoptionRoutes,
  ...bindingRoutes,
  ...operationRoutes,
  ...actionRoutes,
  ...auditRoutes,
  ...changeRoutes,
  ...searchRoutes,
]
