/** A file of the web, read as a stream by the same rules as registries: encrypted, retried, bounded. */
import { fail } from '../../model/problem.ts'
import { isLoopback, type RegistrySettings } from './settings.ts'
import { openTransport } from './transport.ts'

/** The bytes behind a URL. Problems: artifact.not-found, registry.insecure, registry.refused, registry.unreachable. */
export async function* webFile(
  text: string,
  settings: RegistrySettings,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const url = new URL(text)
  const where = { source: url.host }
  if (url.protocol === 'http:' && !isLoopback(url.host) && settings.hosts?.[url.host]?.plainHttp !== true) {
    return fail('registry.insecure', undefined, { where })
  }
  const transport = openTransport(url.host, settings)
  try {
    const answer = await transport.send({ method: 'GET', url, headers: {}, signal })
    if (answer.status === 404 || answer.status === 410) fail('artifact.not-found', undefined, { where })
    if (answer.status !== 200) fail('registry.refused', `status ${answer.status}`, { where })
    yield* answer.body
  } finally {
    await transport.close()
  }
}
