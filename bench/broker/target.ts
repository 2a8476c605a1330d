/** What the load asks for: a path of the broker, as a platform asks. */
import { accounts } from '../../test/support/broker-process.ts'
import type { Target } from './raw-load.ts'

export function targetOf(url: string, path: string, authorization = accounts.platform): Target {
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `Authorization: ${authorization}`,
    'X-Broker-API-Version: 2.17',
    'X-Broker-API-Request-Identity: 3f1c9a52-bench',
    '',
    '',
  ]
  return { url, request: lines.join('\r\n') }
}
