import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { expect, test } from 'vitest'
import { codeOf } from '../../test/support/problems.ts'
import { untilReady } from './readiness.ts'

test('a broker that starts later is waited for, until it says that it is ready', async () => {
  const place = createTcpServer()
  await new Promise<void>((resolve) => place.listen(0, '127.0.0.1', resolve))
  const { port } = place.address() as AddressInfo
  await new Promise((resolve) => place.close(resolve))
  const waited = untilReady(`http://127.0.0.1:${port}`)
  const asked: string[] = []
  const server: Server = createServer(({ url = '' }, response) => {
    asked.push(url)
    response.writeHead(asked.length < 3 ? 503 : 200).end()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await waited
  await new Promise((resolve) => server.close(resolve))

  expect(asked).toEqual(['/readyz', '/readyz', '/readyz'])
})

test('a broker of another kind is ready when it answers', async () => {
  const server = createServer((_request, response) => void response.writeHead(404).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  await expect(untilReady(`http://127.0.0.1:${port}/below`)).resolves.toBeUndefined()
  await new Promise((resolve) => server.close(resolve))
})

test('what does not pass by itself is told at once', async () => {
  expect(await codeOf(untilReady('http://nothing.invalid'))).toBe('server.unreachable')
  expect(await codeOf(untilReady('no address'))).toBe('usage.invalid')
})
