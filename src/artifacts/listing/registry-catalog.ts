/** The repositories of a registry, as its catalog lists them. */
import { isObject } from '../../kit/json.ts'
import { fail } from '../../model/problem.ts'
import { nextPage } from '../registry/registry-source.ts'
import { readText, refused, type Session } from '../registry/session.ts'
import type { Answer } from '../registry/transport.ts'
import { bounded } from './organisations.ts'
import { listingMax } from './place.ts'

/** Names of repositories; registries repeat some from page to page. Problems: registry.*, artifact.too-large. */
export async function listCatalog(session: Session, signal: AbortSignal): Promise<readonly string[]> {
  const names = new Set<string>()
  let path: string | URL | undefined = '_catalog?n=1000'
  for (let page = 0; path !== undefined; page++) {
    if (page >= listingMax.pages)
      return fail('artifact.too-large', `a listing of more than ${listingMax.pages} pages`)
    const answer: Answer = await session.send({ method: 'GET', path, scopes: ['registry:catalog:*'], signal })
    const text = await readText(answer, listingMax.pageBytes)
    if (answer.status !== 200) throw refused(answer, text, session.host)
    for (const name of repositoriesIn(text, session.host)) names.add(name)
    if (names.size > listingMax.names) bounded([...names])
    path = nextPage(answer)
  }
  return [...names]
}

function repositoriesIn(text: string, source: string): readonly string[] {
  const where = { source }
  let page: unknown
  try {
    page = JSON.parse(text)
  } catch (cause) {
    return fail('registry.answer-invalid', 'the catalog is no JSON', { where, cause })
  }
  const repositories = isObject(page) ? page['repositories'] : undefined
  // An empty registry of some makers answers null.
  if (repositories === null) return []
  return Array.isArray(repositories)
    ? repositories.filter((name) => typeof name === 'string')
    : fail('registry.answer-invalid', 'the catalog lists no repositories', { where })
}
