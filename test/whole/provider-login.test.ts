/** People log in on the command line at an identity provider: with a code, at a real provider, and stay logged in. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JWKS } from 'oidc-provider'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { register as registerAccess } from '../../src/cli/commands/access.ts'
import { register as registerLogin } from '../../src/cli/commands/login.ts'
import { newFolder, startTestBroker, type TestBroker } from '../support/broker.ts'
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts'
import { plainBrowser } from '../support/plain-browser.ts'
import { problemOf } from '../support/problems.ts'
import { runCommand } from '../support/run-command.ts'
import { makeSigningKey } from '../support/signed-tokens.ts'

const home = newFolder()
const contexts = join(home, 'chandler', 'config.yaml')

let provider: IdentityProvider
let running: TestBroker
beforeAll(async () => {
  provider = await startIdentityProvider({
    keys: { keys: [makeSigningKey('one', 'RS256').whole] } as JWKS,
    groups: { alice: ['dev'] },
    redirectUri: 'http://broker.example/api/login/oidc/callback',
  })
  const oidc = {
    ...{ issuer: provider.issuer, clientId: 'ui', cliClientId: 'cli' },
    grants: [{ value: 'dev', role: 'developer', tenants: ['acme'] }],
  }
  running = await startTestBroker('', undefined, (text) =>
    text.replace('auth:\n', `auth:\n  oidc: ${JSON.stringify(oidc)}\n`),
  )
  vi.stubEnv('XDG_CONFIG_HOME', home)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await running.stop()
  await provider.stop()
  rmSync(home, { recursive: true, force: true })
})

const whoami = () => runCommand(registerAccess, ['whoami'])

/** What commands have said to a person so far. */
function said(): string {
  const { write } = process.stderr
  return vi.isMockFunction(write)
    ? vi
        .mocked(write)
        .mock.calls.map((call) => String(call[0]))
        .join('')
    : ''
}

interface Kept {
  token: string
  provider: { refresh?: string }
}

function kept(): Kept {
  const [context] = (JSON.parse(readFileSync(contexts, 'utf8')) as { readonly contexts: readonly Kept[] })
    .contexts
  if (context === undefined) throw new Error('nothing is remembered')
  return context
}

function change(edit: (context: Kept) => void): void {
  const context = kept()
  edit(context)
  writeFileSync(contexts, JSON.stringify({ current: '127.0.0.1', contexts: [context] }))
}

/** The same claims, of an hour ago; its signature is that of another token. */
function runOut(token: string): string {
  const [head, body = '', signature] = token.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object
  const old = Buffer.from(JSON.stringify({ ...claims, exp: 1 })).toString('base64url')
  return [head, old, signature].join('.')
}

async function enter(url: string, code: string): Promise<string> {
  const browser = plainBrowser()
  const { response } = await browser.visit(url)
  const first = await browser.submit(await response.text(), url, { user_code: code })
  const second = await browser.submit(await first.response.text(), first.url, { confirm: 'yes' })
  return second.response.text()
}

test('a person enters a code in a browser, and commands go on as that person', {
  timeout: 600_000,
}, async () => {
  provider.login('alice')
  const ended = runCommand(registerLogin, ['login', running.url, '--provider'])
  const found = await vi.waitUntil(() => /Open (\S+) in .* code (\S+)/.exec(said()), { timeout: 300_000 })
  expect(await enter(found[1] ?? '', found[2] ?? '')).toContain('Sign-in Success')

  expect(await ended).toContain('as oidc:alice (developer)')
  expect(statSync(contexts).mode & 0o777).toBe(0o600)
  expect(await whoami()).toMatch(/Account: +oidc:alice/)

  // A token that has run out is exchanged for another one, by whichever command comes next.
  const { token } = kept()
  change((context) => {
    context.token = runOut(token)
  })
  expect(await whoami()).toMatch(/Account: +oidc:alice/)
  expect(kept().token).not.toBe(runOut(token))

  // Without the right to another one the person has to come again; nothing is sent to the broker.
  change((context) => {
    context.token = runOut(token)
    delete context.provider.refresh
  })
  expect(await problemOf(whoami())).toMatchObject({
    code: 'login.refused',
    hint: `Log in again: chandler login ${running.url} --provider`,
  })
  change((context) => {
    context.provider.refresh = 'guessed'
  })
  expect((await problemOf(whoami())).code).toBe('login.refused')
})

test('a broker without a provider says so', async () => {
  const plain = await startTestBroker()
  try {
    const ended = runCommand(registerLogin, ['login', plain.url, '--provider'])
    expect((await problemOf(ended)).code).toBe('login.not-offered')
  } finally {
    await plain.stop()
  }
})
