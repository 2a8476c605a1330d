/** Each form is read by what it is for: a shell, a reader of dotenv files, a parser of JSON. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { formatCredentials } from './credential-formats.ts'

const credentials = {
  uri: 'postgres://u:p@h/db?a=1',
  password: "it's $HOME",
  hosts: ['a', 'b'],
  tls: { ca: 'x y' },
  port: 5432,
}
const bound = {
  binding: 'my app',
  instance: 'i-1',
  instanceName: 'db',
  service: 'pg',
  plan: 'small',
  credentials,
}

test('JSON', () => {
  expect(JSON.parse(formatCredentials('json', bound))).toEqual(credentials)
})

test('dotenv', () => {
  expect(parseEnv(formatCredentials('dotenv', bound))).toEqual({
    URI: credentials.uri,
    PASSWORD: credentials.password,
    HOSTS: '["a","b"]',
    TLS_CA: 'x y',
    PORT: '5432',
  })
})

test('VCAP_SERVICES, through a shell', () => {
  const script = `${formatCredentials('vcap', bound)}printf %s "$VCAP_SERVICES"`
  expect(JSON.parse(execFileSync('sh', ['-c', script], { encoding: 'utf8' }))).toMatchObject({
    pg: [
      { name: 'db', binding_name: 'my app', instance_guid: 'i-1', label: 'pg', plan: 'small', credentials },
    ],
  })
})

test('files of a service binding, through a shell', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-binding-'))
  const script = join(folder, 'make.sh')
  writeFileSync(script, formatCredentials('files', bound))
  execFileSync('sh', [script], { env: { ...process.env, SERVICE_BINDING_ROOT: folder } })
  const at = join(folder, 'my_app')
  const read = Object.fromEntries(readdirSync(at).map((name) => [name, readFileSync(join(at, name), 'utf8')]))
  rmSync(folder, { recursive: true })

  expect(read).toEqual({ type: 'pg', ...credentials, hosts: '["a","b"]', tls: '{"ca":"x y"}', port: '5432' })
})
