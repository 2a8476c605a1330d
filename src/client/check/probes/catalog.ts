/** The catalog: there, valid for the version that is spoken, the same every time. */
import { isObject, at as valueAt } from '../../../kit/json.ts'
import type { Exchange } from '../exchange.ts'
import type { Minor } from '../rules.ts'
import type { Session } from '../session.ts'

/** What a linter says the specification refuses. */
export interface CatalogFault {
  /** JSON pointer into the catalog. */
  readonly pointer: string
  readonly message: string
}

/** Finds what the specification refuses in a catalog. */
export type LintCatalog = (catalog: unknown) => readonly CatalogFault[]

/** The catalog; undefined where there is none to go on with. */
export async function probeCatalog(session: Session, lint: LintCatalog): Promise<unknown> {
  const first = await session.send({ method: 'GET', path: '/v2/catalog' })
  const { status, body } = first.answer
  const services = isObject(body) ? body['services'] : undefined
  const fits = status === 200 && Array.isArray(services)
  if (!session.judge('catalog.answer', first, fits, '200 with a list of services')) return undefined
  const faults = lint(body).filter(({ pointer }) => isKnown(pointer, session.minor))
  for (const { pointer, message } of faults)
    session.judge('catalog.valid', first, false, {
      expected: `${pointer} as the specification has it`,
      got: `${pointer}: ${message}`,
    })
  if (faults.length === 0) session.judge('catalog.valid', first, true, '')
  judgeNames(session, first)
  const again = await session.send({ method: 'GET', path: '/v2/catalog' })
  session.judge('catalog.stable', again, idsIn(again.answer.body) === idsIn(body), 'the same ids')
  await probeConditional(session, first)
  return body
}

/** Fields that came later than 2.11; platforms of an older version ignore them. */
const since: Readonly<Record<string, Minor>> = {
  schemas: 13,
  instances_retrievable: 14,
  bindings_retrievable: 14,
  maximum_polling_duration: 15,
  maintenance_info: 15,
  allow_context_updates: 15,
  binding_rotatable: 17,
}

function isKnown(pointer: string, minor: Minor): boolean {
  return pointer.split('/').every((step) => (since[step] ?? 11) <= minor)
}

function judgeNames(session: Session, exchange: Exchange): void {
  const friendly = session.minor < 14 ? /^[a-z0-9-]+$/ : /^[A-Za-z0-9.-]+$/
  const names = things(exchange.answer.body).map(({ name }) => name)
  const awkward = names.filter((name) => typeof name === 'string' && !friendly.test(name))
  session.judge('catalog.names', exchange, awkward.length === 0, {
    expected: 'letters, digits and hyphens',
    got: awkward.join(', '),
  })
}

function idsIn(catalog: unknown): string {
  return JSON.stringify(things(catalog).map(({ id }) => id))
}

function things(catalog: unknown): readonly { readonly [key: string]: unknown }[] {
  const listAt = (value: unknown, path: string) => {
    const list = valueAt(value, path)
    return Array.isArray(list) ? list.filter(isObject) : []
  }
  return listAt(catalog, '/services').flatMap((service) => [service, ...listAt(service, '/plans')])
}

async function probeConditional(session: Session, first: Exchange): Promise<void> {
  const { etag } = first.answer.headers
  if (etag === undefined) return session.miss('catalog.conditional', 'the catalog has no ETag')
  const sent = await session.send({ method: 'GET', path: '/v2/catalog', headers: { 'If-None-Match': etag } })
  const { status, text } = sent.answer
  const fits = status === 200 || (status === 304 && text === '')
  session.judge('catalog.conditional', sent, fits, '304 without a body, or 200')
}
