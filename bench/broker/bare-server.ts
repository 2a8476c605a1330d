/** The floor: node:http, the same check of credentials, the same bytes. Prints its port. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const [authorization = '', file = ''] = process.argv.slice(2)
const digest = (text: string) => createHash('sha256').update(text).digest()
const wanted = digest(authorization)
const body = readFileSync(file)

// The same option as in our server: a request without a body gets no stream for one.
const server = createServer({ optimizeEmptyRequests: true }, (request, response) => {
  if (!timingSafeEqual(digest(request.headers.authorization ?? ''), wanted)) {
    response.statusCode = 401
    response.end()
    return
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.setHeader('Content-Length', body.length)
  response.end(body)
})
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port))
