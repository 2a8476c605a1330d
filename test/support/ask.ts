/** Asks a broker over HTTP, on either of its sides, as one of its accounts. */

interface Asking {
  /** The Authorization header. */
  readonly as: string
  readonly method?: string
  readonly body?: object
}

export function ask(
  { url }: { readonly url: string },
  path: string,
  { as, method = 'GET', body }: Asking,
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method,
    headers: { Authorization: as, 'X-Broker-API-Version': '2.17', 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}
