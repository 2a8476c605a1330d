/** Asking an identity provider: whose certificates count, and what is not followed. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newFolder } from '../../../test/support/broker.ts'
import { codeOf } from '../../../test/support/problems.ts'
import { makeAskProvider } from './ask-provider.ts'

const missing = spawnSync('openssl', ['version']).status !== 0
const folder = newFolder()
const certificate = join(folder, 'tls.crt')
const files = ['-keyout', join(folder, 'tls.key'), '-out', certificate]
const made = ['-days', '2', '-subj', '/CN=id', '-addext', 'subjectAltName=IP:127.0.0.1']

let url = ''
let close = () => undefined as unknown
beforeAll(async () => {
  if (missing) return
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  execFileSync('openssl', ['req', '-x509', ...key, ...files, ...made], { stdio: 'ignore' })
  const pair = { cert: readFileSync(certificate), key: readFileSync(join(folder, 'tls.key')) }
  const server = createServer(pair, (request, response) => {
    if (request.url === '/elsewhere') response.writeHead(302, { Location: '/' })
    request.setEncoding('utf8')
    let text = ''
    request.on('data', (piece: string) => {
      text += piece
    })
    request.on('end', () => {
      const { method, headers } = request
      const body = { method, text, authorization: headers.authorization }
      response.end(request.url === '/long' ? 'x'.repeat(2 ** 21) : JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
})
afterAll(async () => {
  await close()
  rmSync(folder, { recursive: true, force: true })
})

test.skipIf(missing)('a certificate of an authority in the file counts, and of none other', async () => {
  const ask = makeAskProvider(() => certificate)
  const body = new URLSearchParams({ grant_type: 'x' })

  await expect(makeAskProvider(() => undefined)(url)).rejects.toThrow(/self-signed/)
  expect(await ask(url)).toEqual({ status: 200, body: { method: 'GET', text: '' } })
  expect(await ask(url, { body, authorization: 'Basic x' })).toEqual({
    status: 200,
    body: { method: 'POST', text: 'grant_type=x', authorization: 'Basic x' },
  })
})

test.skipIf(missing)('the file is read for each question, and one that is missing is told', async () => {
  const file = join(folder, 'authorities')
  const ask = makeAskProvider(() => file)

  expect(await codeOf(ask(url))).toBe('login.provider-away')
  writeFileSync(file, readFileSync(certificate))
  expect((await ask(url)).status).toBe(200)
})

test.skipIf(missing)(
  'what leads elsewhere is not followed, and an answer without end is not read',
  async () => {
    const ask = makeAskProvider(() => certificate)

    expect((await ask(`${url}/elsewhere`)).status).toBe(302)
    expect(await codeOf(ask(`${url}/long`))).toBe('login.provider-away')
  },
)
