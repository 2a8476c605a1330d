/** A browser without a page: keeps cookies by origin, follows where it is led, and sends forms. */

interface Visit {
  readonly status: number
  /** Where it ended, or stopped before the address that was named. */
  readonly url: string
  readonly response: Response
}

interface PlainBrowser {
  get(url: string): Promise<Response>
  visit(start: string, stopBefore?: string): Promise<Visit>
  /** Sends the form of a page, with what a person enters. */
  submit(page: string, at: string, entered: Readonly<Record<string, string>>): Promise<Visit>
  cookiesOf(origin: string): Map<string, string>
}

/** `reached` says where requests to an address really go. */
export function plainBrowser(reached: (url: string) => string = (url) => url): PlainBrowser {
  const jar = new Map<string, Map<string, string>>()
  const cookiesOf = (origin: string): Map<string, string> => {
    const known = jar.get(origin) ?? new Map<string, string>()
    jar.set(origin, known)
    return known
  }
  const send = async (url: string, body?: URLSearchParams): Promise<Response> => {
    const cookies = cookiesOf(new URL(url).origin)
    const response = await fetch(reached(url), {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map((pair) => pair.join('=')).join('; '), Accept: 'text/html' },
      ...(body === undefined ? {} : { method: 'POST', body }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name)
      else cookies.set(name, value)
    }
    return response
  }
  const follow = async (first: Response, start: string, stopBefore: string): Promise<Visit> => {
    let [response, url] = [first, start]
    for (let steps = 0; steps < 20; steps += 1) {
      const next = response.headers.get('Location')
      if (next === null) return { status: response.status, url, response }
      url = new URL(next, url).href
      if (url.startsWith(stopBefore)) return { status: response.status, url, response }
      response = await send(url)
    }
    throw new Error(`led on and on, to ${url}`)
  }
  return {
    cookiesOf,
    get: (url) => send(url),
    visit: async (start, stopBefore = 'nowhere:') => follow(await send(start), start, stopBefore),
    async submit(page, at, entered) {
      const [, action = ''] = /<form[^>]*action="([^"]*)"/.exec(page) ?? []
      const hidden = [...page.matchAll(/<input[^>]*type="hidden"[^>]*>/g)].map(([input]) => [
        /name="([^"]*)"/.exec(input)?.[1] ?? '',
        /value="([^"]*)"/.exec(input)?.[1] ?? '',
      ])
      const url = new URL(action, at).href
      const body = new URLSearchParams({ ...Object.fromEntries(hidden), ...entered })
      return follow(await send(url, body), url, 'nowhere:')
    },
  }
}
