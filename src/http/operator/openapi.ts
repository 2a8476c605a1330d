/** The operator API's description of itself: OpenAPI 3.1 from the same schemas that check its requests. */
import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { Problem } from '../../api/problem.ts'
import type { Route } from './route.ts'

export interface Description {
  schemaOf(route: Route): FastifySchema
  document(): unknown
}

/** Prepares an app so that its routes are described. */
export async function describeApi(app: FastifyInstance, version: string): Promise<Description> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Chandler operator API',
        version,
        description: 'Order, bind, follow and repair services. Problems are listed in docs/problems.md.',
      },
      components: { securitySchemes: { basic: { type: 'http', scheme: 'basic' } } },
      security: [{ basic: [] }],
    },
  })
  return {
    schemaOf: (route) => ({
      tags: [route.tag],
      summary: route.summary,
      description: `Needs \`${route.needs}\`.${route.audit.kind === 'deed' ? ` Audited as \`${route.audit.action}\`.` : ''}`,
      operationId: operationId(route),
      ...(route.parts.params ? { params: route.parts.params } : {}),
      ...(route.parts.query ? { querystring: route.parts.query } : {}),
      ...(route.parts.body ? { body: route.parts.body } : {}),
      response: {
        [route.status]: route.answers ?? { description: 'Done.', type: 'null' },
        '4xx': Problem,
        '5xx': Problem,
      },
    }),
    document: () => app.swagger(),
  }
}

function operationId({ method, url }: Route): string {
  const words = url.split('/').flatMap((part) => (part.startsWith(':') ? [] : part.split('-')))
  const one = /:\w+$/.test(url) ? ['one'] : []
  return [method.toLowerCase(), ...words, ...one]
    .filter((word) => word !== '')
    .map((word, i) => (i === 0 ? word : word.slice(0, 1).toUpperCase() + word.slice(1)))
    .join('')
}
