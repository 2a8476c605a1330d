/** What a case file and the fixture may say. */
import type { JsonObject } from '../../kit/json.ts'

const text = { type: 'string' }
const object = { type: 'object' }
const closed = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  additionalProperties: false,
  properties,
  ...(required.length > 0 ? { required: [...required] } : {}),
})

const status = {
  anyOf: [
    { type: 'integer' },
    { type: 'array', items: { type: 'integer' } },
    closed({ $range: { type: 'array', items: { type: 'integer' }, minItems: 2, maxItems: 2 } }, ['$range']),
  ],
}
const count = closed({ status, count: { type: 'integer' } }, ['status', 'count'])

const given = closed({ as: text, of: text, plan: text, parameters: object, sim: object, save: text }, [
  'as',
  'plan',
])

const request = {
  ...closed({
    ...Object.fromEntries(['GET', 'PUT', 'POST', 'PATCH', 'DELETE'].map((method) => [method, text])),
    query: object,
    rawquery: text,
    headers: object,
    auth: {
      anyOf: [{ enum: ['none'] }, closed({ username: text, password: text }, ['username', 'password'])],
    },
    body: {},
    raw: text,
  }),
  anyOf: ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'].map((method) => ({ required: [method] })),
}

const want = closed({
  status,
  prefer: { type: 'integer' },
  headers: object,
  body: {},
  exact: {},
  empty: { type: 'boolean' },
  text_not: { type: 'array', items: text },
  unique: { type: 'array', items: text },
  equals: object,
  differs: object,
  schemas: closed({
    have_dollar_schema: { type: 'boolean' },
    no_external_refs: { type: 'boolean' },
    max_bytes: { type: 'integer' },
  }),
})

const target = closed({ as: text, of: text, plan: text }, ['as', 'plan'])

const step = {
  anyOf: [
    closed({ do: request, want, save: { type: 'object', additionalProperties: text } }, ['do']),
    closed(
      {
        poll: closed(
          {
            instance: text,
            binding: text,
            operation: text,
            want: { enum: ['succeeded', 'failed', 'gone'] },
            body: {},
          },
          ['instance', 'want'],
        ),
      },
      ['poll'],
    ),
    closed({ delete_instance: target }, ['delete_instance']),
    closed({ delete_binding: target }, ['delete_binding']),
    closed(
      {
        parallel: { type: 'array', minItems: 1, items: closed({ do: request }, ['do']) },
        want_all: closed({ status, at_least: count, at_most: count, same: text }),
      },
      ['parallel'],
    ),
  ],
}

export const caseFileSchema: JsonObject = closed(
  {
    area: text,
    cases: {
      type: 'array',
      items: closed(
        {
          id: text,
          title: text,
          level: { enum: ['MUST', 'SHOULD', 'MAY', 'INTEROP'] },
          ref: text,
          note: text,
          given: {
            type: 'array',
            items: {
              ...closed(
                Object.fromEntries(
                  ['instance', 'pending_instance', 'failed_instance', 'binding', 'pending_binding'].map(
                    (kind) => [kind, given],
                  ),
                ),
              ),
              minProperties: 1,
              maxProperties: 1,
            },
          },
          steps: { type: 'array', minItems: 1, items: step },
        },
        ['id', 'title', 'level', 'steps'],
      ),
    },
  },
  ['area', 'cases'],
)

export const fixtureSchema: JsonObject = {
  type: 'object',
  required: ['api_version', 'services', 'templates'],
  properties: {
    api_version: text,
    services: {
      type: 'object',
      additionalProperties: {
        type: 'object',
        required: ['name', 'plans'],
        properties: { name: text, plans: { type: 'object' } },
      },
    },
    templates: { type: 'object', additionalProperties: { type: 'object' } },
  },
}
