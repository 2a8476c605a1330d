/** What the load asks for: a path of the broker, as a platform asks. */
import { accounts } from '../../test/support/broker-process.ts'
import type { Target } from './raw-load.ts'

export function targetOf(
  url: string,
  path: string,
  authorization = accounts.platform,
  method: string = 'GET',
): Target {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `Authorization: ${authorization}`,
    'X-Broker-API-Version: 2.17',
    'X-Broker-API-Request-Identity: 3f1c9a52-bench',
    ...(method === 'GET' ? [] : ['Content-Length: 0']),
    '',
    '',
  ]
  return { url, request: lines.join('\r\n') }
}
