/** The pattern that `npm start` offers: built, ordered and bound as platforms and operators do, without network or daemon. */
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { buildFolder } from '../../src/authoring/build-folder.ts'
import { main } from '../../src/cli/main.ts'
import { ensurePrograms } from '../support/debian.ts'
import { type ExampleBroker, startExampleBroker } from '../support/example-broker.ts'
import { callOsb } from '../tweed/osb.ts'

const missing = ensurePrograms('busybox')
let broker: ExampleBroker

beforeAll(async () => {
  if (missing !== undefined) return
  broker = await startExampleBroker(async (folder) => {
    const to = `oci:${join(folder, '.chandler/examples')}:accounts`
    await buildFolder({ folder: 'examples/tweed/accounts', dataDir: folder, to })
  })
})

afterAll(() => (missing === undefined ? broker.stop() : undefined))

/** What a command prints, as the admin. */
async function chandler(...words: readonly string[]): Promise<string> {
  let out = ''
  const print = (chunk: string | Uint8Array): boolean => {
    out += Buffer.from(chunk).toString()
    return true
  }
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(print),
    vi.spyOn(process.stderr, 'write').mockImplementation(() => true),
  ]
  const who = ['--server', broker.url, '--user', 'admin', '--password-file', broker.passwordFile]
  const code = await main([...words, ...who])
  for (const spy of spies) spy.mockRestore()
  expect(code, words.join(' ')).toBe(0)
  return out.replaceAll(/ +/g, ' ')
}

interface Service {
  readonly id: string
  readonly name: string
  readonly plans: readonly { readonly id: string; readonly name: string }[]
}

async function accounts(): Promise<Service> {
  const { body } = await broker.osb('GET', '/catalog')
  const { services } = body as { readonly services: readonly Service[] }
  const found = services.find(({ name }) => name === 'accounts')
  if (found === undefined) throw new Error('accounts is not offered')
  return found
}

describe.skipIf(missing !== undefined)('the accounts example', () => {
  test('platforms see its papers, and per plan what users may set', async () => {
    const service = await accounts()
    const parameters = (names: object) => ({
      service_instance: { create: { parameters: { properties: names, additionalProperties: false } } },
    })

    expect(service).toMatchObject({
      metadata: { displayName: 'Accounts', imageUrl: expect.stringMatching(/^data:image\/png;base64,/) },
      plans: [
        { name: 'short', schemas: parameters({ register: { default: 'visitors' } }) },
        { name: 'long', schemas: parameters({ passwordBytes: { default: 24 } }) },
      ],
    })
    expect(JSON.stringify(service.plans[0])).not.toContain('passwordBytes')
  })

  test('a platform orders, binds inside the request, and deletes with the binding still there', async () => {
    const { id, plans } = await accounts()
    const ids = { service_id: id, plan_id: plans[1]?.id ?? '' }
    const path = '/service_instances/guests'
    const order = { ...ids, organization_guid: 'o', space_guid: 's', parameters: { register: 'guests' } }
    const made = await broker.osb('PUT', `${path}?accepts_incomplete=true`, order)
    const provisioned = await broker.ended(path)
    const bound = await broker.osb('PUT', `${path}/service_bindings/app`, ids)
    const again = await broker.osb('GET', `${path}/service_bindings/app`)
    const query = new URLSearchParams({ ...ids, accepts_incomplete: 'true' })
    const { credentials } = bound.body as { readonly credentials: Readonly<Record<string, string>> }
    const { username = '', password: secret = '' } = credentials

    expect([made.status, provisioned, bound.status]).toEqual([202, 'succeeded', 201])
    expect(credentials).toEqual({
      register: 'guests',
      username: expect.stringMatching(/^guest-[0-9a-f]{8}$/),
      password: expect.stringMatching(/^[0-9a-f]{48}$/),
      uri: `register://${username}:${secret}@localhost/guests`,
    })
    expect(again.body).toMatchObject({ credentials })
    expect((await broker.osb('DELETE', `${path}?${query}`)).status).toBe(202)
    expect(await broker.ended(path)).toMatch(/succeeded|gone/)
    expect((await broker.osb('GET', `${path}/service_bindings/app`)).status).toBe(404)
  })

  test('an operator orders, binds and reads what it left; a platform may not', async () => {
    const paper = await chandler('package', 'show', 'accounts')
    const made = await chandler('instance', 'provision', 'accounts', 'short', 'mine', '-o', 'json')
    const bound = await chandler('binding', 'bind', 'mine', 'app', '-o', 'json')
    const files = await chandler('instance', 'files', 'mine')
    const file = await chandler('instance', 'files', 'mine', 'register.txt')
    const moved = await chandler('instance', 'repin', 'mine', '-o', 'json')
    const { platform, id } = JSON.parse(made) as { readonly platform: string; readonly id: string }
    const address = `/api/v1/instances/${platform}/${id}/outputs/register.txt`
    const refused = await callOsb(
      { url: broker.url, user: 'platform', password: broker.password },
      'GET',
      address,
    )
    await chandler('binding', 'unbind', 'mine', 'app', '--yes')
    const gone = await chandler('instance', 'deprovision', 'mine', '--yes')

    expect(paper).toMatch(
      /Icon: image\/png, 208 bytes[\s\S]*Parameters: register \(string, default "visitors"\)/,
    )
    expect(JSON.parse(bound)).toMatchObject({
      credentials: { register: 'visitors', password: expect.stringMatching(/^[0-9a-f]{16}$/) },
    })
    expect(files).toContain('register.txt present 31 yes The register as it was opened')
    expect(file).toBe('The register visitors is open.\n')
    expect(refused.status).toBe(403)
    // The catalog has the same image still.
    expect(JSON.parse(moved)).toMatchObject({
      id,
      package: (JSON.parse(made) as { package: object }).package,
    })
    expect(gone).toContain('State: deleted')
  })
})
