import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshFolder } from '../../../test/support/image.ts'
import { toProblem } from '../../model/problem.ts'
import { findLogin } from './credentials.ts'
import { type Login, usualCredentialFiles } from './settings.ts'

const home = freshFolder('credentials')
const path = process.env['PATH']
beforeAll(() => {
  helper(
    'known',
    'read server; printf \'{"ServerURL":"%s","Username":"u","Secret":"of-%s"}\' "$server" "$server"',
  )
  helper('token', 'cat >/dev/null; echo \'{"Username":"<token>","Secret":"refresh"}\'')
  helper('none', 'cat >/dev/null; echo "credentials not found in native keychain"; exit 1')
  helper('broken', 'cat >/dev/null; echo "keychain is locked"; exit 1')
  helper('noise', 'cat >/dev/null; echo hello')
  process.env['PATH'] = `${home}${delimiter}${path}`
})
afterAll(() => {
  process.env['PATH'] = path
  rmSync(home, { recursive: true, force: true })
})

function helper(name: string, script: string): void {
  writeFileSync(join(home, `docker-credential-${name}`), `#!/bin/sh\n${script}\n`)
  chmodSync(join(home, `docker-credential-${name}`), 0o755)
}

function shown(login: Login | undefined): string {
  if (login === undefined) return 'none'
  return login.kind === 'password'
    ? `${login.user}/${login.password.reveal()}`
    : `token ${login.token.reveal()}`
}

const auth = (user: string, password: string): object => ({
  auth: Buffer.from(`${user}:${password}`).toString('base64'),
})

async function find(file: unknown, host = 'r.example', repository = 'team/app'): Promise<string> {
  const place = join(home, 'config.json')
  writeFileSync(place, typeof file === 'string' ? file : JSON.stringify(file))
  try {
    return shown(await findLogin(host, repository, { credentialFiles: [join(home, 'absent'), place] }))
  } catch (error) {
    return toProblem(error).code
  }
}

test.each<[string, unknown, string]>([
  ['by host', { auths: { 'r.example': auth('u', 'p') } }, 'u/p'],
  ['with a colon in the password', { auths: { 'r.example': auth('u', 'p:q') } }, 'u/p:q'],
  ['by URL', { auths: { 'https://r.example/v1/': auth('u', 'p') } }, 'u/p'],
  ['of another host', { auths: { 'other.example': auth('u', 'p') } }, 'none'],
  [
    'by the longest prefix',
    {
      auths: {
        'r.example': auth('a', '1'),
        'r.example/team': auth('b', '2'),
        'r.example/team/app': auth('c', '3'),
      },
    },
    'c/3',
  ],
  ['of another repository', { auths: { 'r.example/other': auth('a', '1') } }, 'none'],
  [
    'with an identity token',
    { auths: { 'r.example': { ...auth('u', ''), identitytoken: 'it' } } },
    'token it',
  ],
  ['in plain words', { auths: { 'r.example': { username: 'u', password: 'p' } } }, 'u/p'],
  [
    'of a helper for the host',
    { credHelpers: { 'r.example': 'known' }, auths: { 'r.example': auth('a', 'b') } },
    'u/of-r.example',
  ],
  ['of the helper for all', { credsStore: 'known', auths: { 'r.example': {} } }, 'u/of-r.example'],
  ['of a helper with a token', { credHelpers: { 'r.example': 'token' } }, 'token refresh'],
  ['of a helper that knows none', { credsStore: 'none' }, 'none'],
  ['of a helper that fails', { credsStore: 'broken' }, 'registry.credentials-invalid'],
  ['of a helper that talks nonsense', { credsStore: 'noise' }, 'registry.credentials-invalid'],
  ['of a helper that is not there', { credsStore: 'absent' }, 'registry.credentials-invalid'],
  ['of a helper with a path for a name', { credsStore: '../../bin/x' }, 'registry.credentials-invalid'],
  [
    'that is no user and password',
    { auths: { 'r.example': { auth: 'bm9uZQ==' } } },
    'registry.credentials-invalid',
  ],
  ['in a file that is no JSON', '{', 'registry.credentials-invalid'],
  ['in a file that is a list', '[]', 'registry.credentials-invalid'],
])('a login %s is found or said to be missing', async (_, file, expected) => {
  expect(await find(file)).toBe(expected)
})

test.each([[{ 'https://index.docker.io/v1/': auth('u', 'p') }], [{ 'docker.io': auth('u', 'p') }]])(
  'the login of Docker Hub is found under %j',
  async (auths) => {
    expect(await find({ auths }, 'docker.io', 'library/redis')).toBe('u/p')
  },
)

test('a helper is asked for Docker Hub by the name that Docker gave it', async () => {
  expect(await find({ credsStore: 'known' }, 'docker.io')).toBe('u/of-https://index.docker.io/v1/')
})

test.each<[Record<string, string>, readonly string[]]>([
  [{ REGISTRY_AUTH_FILE: '/x', HOME: '/h' }, ['/x']],
  [
    { HOME: '/h' },
    [
      '/h/.docker/config.json',
      '/run/containers/7/auth.json',
      '/h/.config/containers/auth.json',
      '/h/.ocmconfig',
    ],
  ],
  [
    { HOME: '/h', DOCKER_CONFIG: '/d', XDG_RUNTIME_DIR: '/run/user/7' },
    [
      '/d/config.json',
      '/run/user/7/containers/auth.json',
      '/run/containers/7/auth.json',
      '/h/.config/containers/auth.json',
      '/h/.ocmconfig',
    ],
  ],
])('with the environment %j the files are %j', (environment, expected) => {
  expect(usualCredentialFiles(environment, 7)).toEqual(expected)
})

const consumer = (identity: object, credentials: object): string => `
type: generic.config.ocm.software
configurations:
- type: credentials.config.ocm.software
  consumers: [{identity: ${JSON.stringify(identity)}, credentials: [${JSON.stringify(credentials)}]}]
- type: memory.credentials.config.ocm.software
  repoName: default
  credentials: [{credentialsName: kept, credentials: {username: m, password: n}}]
`
const inPlace = { type: 'Credentials', properties: { username: 'u', password: 'p' } }

test.each<[string, string, string, string]>([
  ['a host', consumer({ type: 'OCIRegistry', hostname: 'r.example' }, inPlace), 'r.example', 'u/p'],
  [
    'a port',
    consumer({ type: 'OCIRegistry', hostname: 'r.example', port: '5000' }, inPlace),
    'r.example:5000',
    'u/p',
  ],
  [
    'another port',
    consumer({ type: 'OCIRegistry', hostname: 'r.example', port: '5000' }, inPlace),
    'r.example:5001',
    'none',
  ],
  [
    'a path',
    consumer({ type: 'OCIRegistry', hostname: 'r.example', pathprefix: 'team' }, inPlace),
    'r.example',
    'u/p',
  ],
  [
    'another path',
    consumer({ type: 'OCIRegistry', hostname: 'r.example', pathprefix: 'te' }, inPlace),
    'r.example',
    'none',
  ],
  ['another type', consumer({ type: 'wget', hostname: 'r.example' }, inPlace), 'r.example', 'none'],
  [
    'a memory',
    consumer(
      { type: 'OCIRegistry', hostname: 'r.example' },
      { type: 'Memory', repoName: 'default', credentialsName: 'kept' },
    ),
    'r.example',
    'm/n',
  ],
  ['no YAML', '{', 'r.example', 'ocm.config.invalid'],
])('a configuration of OCM with %s is read', async (_, file, host, expected) => {
  const place = join(home, '.ocmconfig')
  writeFileSync(place, file)
  const found = await findLogin(host, 'team/app', { credentialFiles: [place] }).then(
    shown,
    (error: unknown) => toProblem(error).code,
  )

  expect(found).toBe(expected)
})
