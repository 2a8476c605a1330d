/** Serves the documents, built as a site of static pages, at /docs: to everybody, for they say nothing of this broker. */
import { send } from './answer.ts'
import { leadTo, type Pages, readStaticFiles, refuseChanges, serveFile } from './static-files.ts'

/** Reads the folder that the build wrote; without one, every address of the documents says so. */
export function openDocuments(folder: string, pathPrefix: string): Pages {
  const files = readStaticFiles(folder)
  return {
    serve(request, response) {
      const [path = ''] = (request.url ?? '').split('?')
      if (path !== '/docs' && !path.startsWith('/docs/')) return false
      if (refuseChanges({ request, response })) return true
      if (path === '/docs') leadTo(response, `${pathPrefix}/docs/`)
      else if (files.size === 0) {
        const description = 'The documents have not been built: run npm run build'
        send(response, { status: 404, body: { description } })
      } else serveFile(files.get(path.slice('/docs/'.length) || 'index.html'), { request, response }, false)
      return true
    },
  }
}
