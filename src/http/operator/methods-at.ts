/** What can be asked at an address of the operator API: for a refusal that says what would be served. */
import { loginPaths } from './login-pages.ts'
import { operatorRoutes } from './routes.ts'

/** Where the description of the API is. */
export const descriptionPath = '/api/openapi.json'

const served = [
  ...[descriptionPath, ...loginPaths].map((path) => ({ method: 'GET', parts: path.split('/') })),
  ...operatorRoutes.map(({ method, url }) => ({ method, parts: `/api/v1${url}`.split('/') })),
]

/** The methods that a path knows; none: there is nothing at this address. */
export function methodsAt(path: string): readonly string[] {
  const parts = path.split('/')
  return served
    .filter((one) => fits(one.parts, parts))
    .flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
}

function fits(template: readonly string[], parts: readonly string[]): boolean {
  return (
    template.length === parts.length &&
    template.every((part, i) => (part.startsWith(':') ? parts[i] !== '' : part === parts[i]))
  )
}
