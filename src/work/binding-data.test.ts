import { expect, test } from 'vitest'
import { parseJson } from '../kit/exact.ts'
import type { JsonObject } from '../kit/json.ts'
import { bindingData } from './binding-data.ts'

test.each<[string, string, string, Readonly<Record<string, string>>]>([
  [
    'entries of the specification, by other names, too',
    '{"uri":"postgres://u:p@h:5432/d","hostname":"h","port":5432,"user":"u","password":"p"}',
    'servicebinding.io/postgresql',
    {
      uri: 'postgres://u:p@h:5432/d',
      hostname: 'h',
      host: 'h',
      port: '5432',
      user: 'u',
      username: 'u',
      password: 'p',
      type: 'postgresql',
      provider: 'my-db',
    },
  ],
  [
    'a type of its own',
    '{"type":"Redis","provider":"them"}',
    'servicebinding.io/redis',
    { type: 'redis', provider: 'them' },
  ],
  [
    'the name of the service',
    '{"a":"b"}',
    'servicebinding.io/my-db',
    { a: 'b', type: 'my-db', provider: 'my-db' },
  ],
  [
    'an address of Java',
    '{"url":"jdbc:mysql://h/d"}',
    'servicebinding.io/mysql',
    { url: 'jdbc:mysql://h/d', uri: 'jdbc:mysql://h/d', type: 'mysql', provider: 'my-db' },
  ],
  [
    'values that are no text as JSON, what is null not at all',
    '{"a":{"b":[1]},"c":true,"d":null}',
    'servicebinding.io/my-db',
    { a: '{"b":[1]}', c: 'true', type: 'my-db', provider: 'my-db' },
  ],
  [
    'names that no Secret takes',
    '{"my key":"1","..":"2","":"3"}',
    'servicebinding.io/my-db',
    { my_key: '1', '_..': '2', _: '3', type: 'my-db', provider: 'my-db' },
  ],
])('%s', (_what, credentials, type, data) => {
  expect(bindingData(parseJson(credentials) as JsonObject, 'my-db')).toEqual({ type, data })
})
