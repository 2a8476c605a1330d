/** Judges the table of identifiers: a whole life under an identifier, and what it leaves lying around. */
import { spawnSync } from 'node:child_process'
import { systemClock } from '../../src/kit/clock.ts'
import type { Stage } from './case-stage.ts'
import type { Answer } from './osb.ts'
import type { Row } from './tables.ts'

/** What differs from a row of instance identifiers. */
export async function judgeIdentifier(stage: Stage, folder: string, row: Row): Promise<readonly string[]> {
  const id = String(row['id'])
  const ids = await stage.ids()
  const body = JSON.stringify({ ...ids, organization_guid: 'o', space_guid: 's' })
  const path = `/${written(id)}`
  const first = await stage.osb('PUT', `${path}?accepts_incomplete=true`, body)
  const refused = [400, 404].includes(first.status)
  if (row['want'] === 'refuse') return refused ? [] : [`was answered ${first.status}`]
  if (row['want'] === 'safe' && refused) return []
  const faults = [...expectStatus('provision', 202, first), ...(await end(stage, path))]
  const binding = `${path}/service_bindings/b1`
  faults.push(
    ...expectStatus(
      'bind',
      202,
      await stage.osb('PUT', `${binding}?accepts_incomplete=true`, JSON.stringify(ids)),
    ),
    ...(await end(stage, binding)),
    ...filesCalled(folder, id),
  )
  const query = new URLSearchParams({ ...ids, accepts_incomplete: 'true' })
  faults.push(
    ...expectStatus('deprovision', 202, await stage.osb('DELETE', `${path}?${query}`)),
    ...(await end(stage, path)),
    ...expectStatus('a look afterwards', 404, await stage.osb('GET', path)),
  )
  return faults
}

/** An identifier as a step of a path that no reader of addresses resolves. */
function written(id: string): string {
  return encodeURIComponent(id).replaceAll('.', '%2E')
}

async function end(stage: Stage, path: string): Promise<readonly string[]> {
  for (;;) {
    const { status, body } = await stage.osb('GET', `${path}/last_operation`)
    const { state } = body as { readonly state?: string }
    if (state === 'in progress') await systemClock.sleep(20)
    else return state === 'succeeded' || status === 410 ? [] : [`${path} ended as ${status} ${state ?? ''}`]
  }
}

function expectStatus(what: string, status: number, answer: Answer): readonly string[] {
  return answer.status === status ? [] : [`${what}: expected ${status}, found ${answer.status}`]
}

/** Files and folders that are named by what a client wrote. */
function filesCalled(folder: string, id: string): readonly string[] {
  // One letter, or two dots, may be the name of something else.
  if (id.length < 3) return []
  // What vanishes while it is looked for is no matter.
  const names = spawnSync('find', [folder], { encoding: 'utf8', maxBuffer: 2 ** 26 }).stdout.split('\n')
  return names.filter((name) => standsAlone(name, id)).map((name) => `${name} is named by the client`)
}

/** Whether a path holds the text as whole words: one of our random names may end as the text begins. */
function standsAlone(path: string, text: string): boolean {
  const letter = /[0-9A-Za-z]/
  return path.split(text).some((before, index, parts) => {
    const after = parts[index + 1]
    return after !== undefined && !letter.test(before.at(-1) ?? '') && !letter.test(after[0] ?? '')
  })
}
