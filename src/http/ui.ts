/** Serves the built web UI: its page at every address below /ui, and the files that the page asks for. */
import { send } from './answer.ts'
import { leadTo, type Pages, readStaticFiles, refuseChanges, serveFile } from './static-files.ts'

/** What is written into the page that starts the UI: where it is for a browser. */
const placeOfPrefix = '<base href="/ui/"'

/** Reads the folder that the build wrote; without one, every address of the UI says so. */
export function openUi(folder: string, pathPrefix: string): Pages {
  const files = readStaticFiles(folder, (page) =>
    page.replace(placeOfPrefix, `<base href="${pathPrefix}/ui/"`),
  )
  return {
    serve(request, response) {
      const [path = ''] = (request.url ?? '').split('?')
      const isRoot = path === '/' && request.headers.accept?.includes('text/html') === true
      if (!isRoot && path !== '/ui' && !path.startsWith('/ui/')) return false
      if (refuseChanges({ request, response })) return true
      if (isRoot || path === '/ui') leadTo(response, `${pathPrefix}/ui/`)
      else if (files.size === 0) {
        const description = 'The web UI has not been built: run npm run build'
        send(response, { status: 404, body: { description } })
      } else {
        const name = path.slice('/ui/'.length)
        const isAsset = name.startsWith('assets/')
        // An address that is no file is a page of the UI, which tells itself what there is.
        const file = hasDotSegment(name) ? undefined : files.get(isAsset ? name : 'index.html')
        serveFile(file, { request, response }, isAsset)
      }
      return true
    },
  }
}

/** Browsers resolve dot segments before they ask; a request with one, plain or escaped, looks for files beside the UI. */
function hasDotSegment(name: string): boolean {
  return name
    .replaceAll(/%2e/gi, '.')
    .split(/\/|%2f|\\|%5c/i)
    .some((segment) => segment === '.' || segment === '..')
}
