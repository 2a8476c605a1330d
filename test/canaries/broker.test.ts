/** Canaries through a broker: fifty secrets go into a package of each contract, which tells them all; none may be readable anywhere. */
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hostEngine } from '../corpus/topics/brokerpak-terraform.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { type ContractName, contracts, makePackage, type Told } from './packages.ts'
import { collect, type Place, type Places, places } from './places.ts'
import { type Search, searchFor } from './search.ts'
import { makeKeys, openStage, type Stage } from './stage.ts'
import { leadLives } from './story.ts'
import { marker } from './telltale.ts'
import { wordCanary } from './values.ts'

const needs: Readonly<Record<ContractName, string | undefined>> = {
  sim: undefined,
  tweed: ensurePrograms('busybox'),
  cnab: ensurePrograms('busybox'),
  apb: ensurePrograms('busybox', 'curl'),
  toi: ensurePrograms('busybox'),
  brokerpak: hostEngine() === undefined ? 'terraform or tofu missing' : undefined,
}

describe.each(contracts.map((name) => [name, needs[name]] as const))('%s', (contract, missing) => {
  // What was searched for by another run on this machine must not be found here.
  const set = `${contract} ${randomBytes(8).toString('hex')}`
  const control = wordCanary(`${set} control`).value
  const name = `control-${control.slice(0, 12).toLowerCase()}`
  let folder: string
  let stage: Stage | undefined
  let told: Told
  let seen: Places
  let secrets: Search
  let given: Search

  beforeAll(async () => {
    if (missing !== undefined) return
    folder = freshFolder('canaries')
    told = await makePackage(contract, join(folder, 'package'), set)
    const keys = makeKeys(set)
    given = searchFor([...told.given, ...keys.canaries])
    secrets = searchFor([...told.given, ...told.made, ...keys.canaries])
    stage = await openStage(told, folder, keys, name)
    const lives = await leadLives(stage, told, name)
    expect(lives.faults).toEqual([])
    seen = await collect(stage, lives)
  })

  afterAll(async () => {
    await stage?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })

  test.skipIf(missing !== undefined)('everything was told', () => {
    if (!told.speaks) return
    const log = Buffer.concat(
      seen['logs of operations, as a viewer reads them'].map(({ bytes }) => bytes),
    ).toString()
    expect(log).toContain(`end of ${marker}`)
    expect(log.split(marker).length).toBeGreaterThan(told.given.length * 10)
  })

  test.skipIf(missing !== undefined).each(places)('no secret is seen in: %s', (place) => {
    // What a program makes is known to be secret when it hands it back, and hidden then in what is kept.
    const search = place === 'live logs, as a viewer follows them' ? given : secrets
    const hits = seen[place].flatMap((piece) =>
      search
        .in(piece.bytes)
        .map(({ canary, text }) => `${canary.slice(set.length + 1)} in ${piece.name}: ${text}`),
    )
    expect(hits).toEqual([])
  })

  test.skipIf(missing !== undefined).each(places)('what is no secret is found in: %s', (place) => {
    // Figures name no service, and what only pretends prints nothing of its own.
    const printed = told.speaks ? marker : 'pretending'
    const word: Partial<Record<Place, string>> = {
      'metrics and health': 'chandler_build_info',
      'live logs, as a viewer follows them': printed,
      'logs of operations, as a viewer reads them': printed,
    }
    const wanted = word[place] ?? name
    expect(seen[place].some(({ bytes }) => Buffer.from(bytes).includes(wanted))).toBe(true)
  })
})
