/** How the caller's browser reaches the API: what its cookie is kept under. */
import type { IncomingMessage } from 'node:http'
import type { CookieManner } from '../sessions.ts'
import type { OperatorPorts } from './ports.ts'

/** Below which path, and whether the way is encrypted. */
export function mannerOf(
  { pathPrefix, isEncrypted }: Pick<OperatorPorts, 'pathPrefix' | 'isEncrypted'>,
  request: IncomingMessage,
): CookieManner {
  return { path: `${pathPrefix}/api`, isSecure: isEncrypted(request) }
}
