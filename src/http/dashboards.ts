/** Leads browsers from the address that was promised for a dashboard to the one that came with the work: it is not known before. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Store } from '../store/store.ts'
import { type Answer, send } from './answer.ts'

export interface Dashboards {
  /** Whether the address is one of these; if so, it is answered. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
}

/** Opens what stands in for addresses that are not known yet; where it is not wanted it answers nothing. */
export function openDashboards(look: Pick<Store['look'], 'instances'>, isWanted: boolean): Dashboards {
  return {
    serve(request, response) {
      const url = URL.parse(request.url ?? '', 'http://broker')
      if (!isWanted || url === null || !isOurs(url)) return false
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        const description = 'This address knows GET and HEAD'
        send(response, { status: 405, body: { description }, headers: { Allow: 'GET, HEAD' } })
        return true
      }
      answer(look, url.searchParams.get('id') ?? '').then(
        (told) => send(response, told),
        () => send(response, { status: 503, body: { description: 'The store does not answer' } }),
      )
      return true
    },
  }
}

function isOurs({ pathname }: URL): boolean {
  return pathname === '/dashboard' || pathname === '/dashboard/'
}

/** So many instances of one id, of as many platforms, are looked at. */
const most = 20

async function answer(look: Pick<Store['look'], 'instances'>, id: string): Promise<Answer> {
  if (id === '') {
    return { status: 400, body: { description: 'Did not find service instance id as a query param!' } }
  }
  const { items } = await look.instances({ beginning: id, isPresent: true, most })
  const found = items.flatMap(({ instance, dashboardUrl }) =>
    instance === id && dashboardUrl !== undefined ? [dashboardUrl] : [],
  )
  const urls = new Set(found.filter((text) => leadsElsewhere(text, id)))
  const [url] = urls
  // Of two platforms' instances with one id neither is meant more than the other.
  if (url === undefined || urls.size > 1) {
    return { status: 404, body: { description: 'There is no dashboard of this instance, or not yet' } }
  }
  const headers = { Location: url, 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' }
  return { status: 302, headers: { ...headers, 'Content-Length': '0' } }
}

/** What was promised at the order leads here again. */
function leadsElsewhere(text: string, id: string): boolean {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return false
  return !(/[/]dashboard[/]?$/.test(url.pathname) && url.searchParams.get('id') === id)
}
