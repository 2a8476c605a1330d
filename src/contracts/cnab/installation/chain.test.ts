import { describe, expect, test } from 'vitest'
import { lookupOf, member } from '../../../../test/cnab/members.ts'
import { type Ending, packageOf, report, seenBy, situation } from '../../../../test/cnab/stage.ts'
import type { JsonObject } from '../../../kit/json.ts'
import type { Job } from '../../../model/job.ts'
import type { Carryover, Outcome } from '../../../model/outcome.ts'
import type { Action } from '../../../model/situation.ts'
import { notesOf } from '../notes.ts'
import { cnabInstallation } from './contract.ts'
import { type Installation, openLedger } from './ledger.ts'
import { type InstallationOrder, installationPackage, parametersOf } from './order.ts'

const run: Action = { kind: 'invoke', name: 'run' }
const none = { parameterSets: [], credentialSets: [], credentials: {}, options: {}, anew: false, given: {} }

const family = {
  db: member('db', ['cache']),
  cache: member('cache'),
  mail: { ...member('mail'), actions: { tune: { modifies: true } } },
  search: member('search'),
}

/** The bundle as an installation keeps it, with all that it needs. */
async function installed(top: JsonObject) {
  const pkg = await packageOf(top, { lookup: lookupOf(family) })
  return { reference: './top.tgz', digest: pkg.digest, notes: notesOf(pkg) }
}

const first = () => installed(member('shop', ['db', 'mail']))
const second = () => installed(member('shop', ['mail', 'search'], '2.0.0'))

interface Played {
  /** `action of bundle` of every run. */
  readonly runs: readonly string[]
  readonly outcome: Outcome
}

let orders = 0

/** Plays an order to its end; runs that are named end as they are told, all others go well. */
async function play(
  order: Pick<InstallationOrder, 'action'> & Partial<InstallationOrder>,
  carryover: Carryover = {},
  endings: Readonly<Record<string, Ending>> = {},
): Promise<Played> {
  const runs: string[] = []
  const bundle = order.bundle ?? (await first())
  // Ids sort by time.
  const id = `01kb${String(++orders).padStart(4, '0')}${'0'.repeat(18)}`
  let at = {
    ...situation(installationPackage),
    carryover,
    parameters: parametersOf({ installation: 'top', ...none, bundle, ...order }),
    operation: { id, stage: 0, attempt: 1 },
  }
  const prepared = cnabInstallation.prepare(run, at)
  if (prepared.kind === 'refused') return { runs, outcome: { problems: prepared.problems } }
  if (prepared.kind === 'nothing-to-run') return { runs, outcome: prepared.outcome }
  for (let job: Job = prepared.job; ; ) {
    const { env } = seenBy(job)
    const told = `${env['CNAB_ACTION']} of ${env['CNAB_BUNDLE_NAME']}`
    runs.push(told)
    const written = env['CNAB_ACTION'] === 'uninstall' ? {} : { name: String(env['CNAB_INSTALLATION_NAME']) }
    const conclusion = cnabInstallation.conclude(run, at, report(endings[told] ?? { written }))
    if (conclusion.kind === 'done') return { runs, outcome: conclusion.outcome }
    job = conclusion.job
    at = {
      ...at,
      carryover: conclusion.carryover,
      operation: { ...at.operation, stage: at.operation.stage + 1 },
    }
  }
}

const kept = ({ outcome }: Played): Carryover => outcome.carryover ?? {}
const codes = ({ outcome }: Played) => outcome.problems.map(({ code }) => code)
const installs = ['install of cache', 'install of db', 'install of mail', 'install of shop']
const uninstalls = ['uninstall of shop', 'uninstall of mail', 'uninstall of db', 'uninstall of cache']
const bad: Ending = { exit: 7, written: { name: '' } }

describe('an installation with dependencies of dependencies', () => {
  test('is made from the bottom up and taken down from the top', async () => {
    const made = await play({ action: 'install' })
    const gone = await play({ action: 'uninstall' }, kept(made))

    expect([made.runs, codes(made)]).toEqual([installs, []])
    expect([gone.runs, codes(gone)]).toEqual([uninstalls, []])
  })

  test('is refused whole before anything starts, with the place of each fault', async () => {
    const given = { '': { count: 10 }, db: { count: 'x', none: 1 }, 'db/cache': { count: 11 } }

    const { runs, outcome } = await play({ action: 'install', given })

    expect(runs).toEqual([])
    expect(outcome.problems.map(({ where }) => where?.pointer)).toEqual([
      '/db#cache#count',
      '/db#none',
      '/db#count',
      '/count',
    ])
  })

  test('gives each run tool the bundles of what its own bundle needs', async () => {
    const bundle = await first()
    const order = { installation: 'top', ...none, bundle, action: 'install' }
    const at = { ...situation(installationPackage), parameters: parametersOf(order) }
    const files: string[][] = []
    const prepared = cnabInstallation.prepare(run, at)
    let job = prepared.kind === 'job' ? prepared.job : undefined
    let carryover: Carryover = {}
    for (let stage = 0; job !== undefined; stage++) {
      const paths = Object.keys(seenBy(job).files).filter((path) => path.includes('/dependencies/'))
      files.push(paths.map((path) => path.replace('/cnab/app/dependencies/', '')))
      const operation = { ...at.operation, stage }
      const written = { name: 'x' }
      const next = cnabInstallation.conclude(run, { ...at, carryover, operation }, report({ written }))
      job = next.kind === 'next' ? next.job : undefined
      carryover = next.kind === 'next' ? next.carryover : {}
    }

    expect(files).toEqual([[], ['cache/bundle.json'], [], ['db/bundle.json', 'mail/bundle.json']])
  })

  test('runs an action of its own on those that are there and have it', async () => {
    const tune = { actions: { tune: { modifies: true } } }
    const [alone, needy] = [member('shop'), member('shop', ['db', 'mail'])]
    const made = await play({ action: 'install' })
    const madeAlone = await play({ action: 'install', bundle: await installed(alone) })
    const { custom, requiredExtensions } = needy
    const wants = await installed({
      ...alone,
      custom: custom ?? {},
      requiredExtensions: requiredExtensions ?? [],
      ...tune,
    })

    const tuned = await play({ action: 'tune', bundle: await installed({ ...needy, ...tune }) }, kept(made))
    const tunedAlone = await play({ action: 'tune', bundle: wants }, kept(madeAlone))

    expect([tuned.runs, codes(tuned)]).toEqual([['tune of mail', 'tune of shop'], []])
    expect([tunedAlone.runs, codes(tunedAlone)]).toEqual([['tune of shop'], []])
  })
})

describe('an install of several that fails', () => {
  test.each([
    ['at its first run', 'install of cache', ['install of cache', 'uninstall of cache']],
    [
      'half way',
      'install of db',
      ['install of cache', 'install of db', 'uninstall of db', 'uninstall of cache'],
    ],
    ['at its last run', 'install of shop', [...installs, ...uninstalls]],
  ])('%s is undone, and says so', async (_, failing, runs) => {
    const failed = await play({ action: 'install' }, {}, { [failing]: bad })

    expect(failed.runs).toEqual(runs)
    expect(codes(failed)).toEqual(['cnab.run.failed'])
    expect(failed.outcome.message).toBe('what was installed for it has been uninstalled again')
    const again = await play({ action: 'install' }, kept(failed))
    expect([again.runs, codes(again)]).toEqual([installs, []])
  })

  test('because a run could not be started is undone but for that run', async () => {
    const end = { kind: 'not-started', detail: 'no image' } as const

    const failed = await play({ action: 'install' }, {}, { 'install of db': { end } })

    expect(failed.runs).toEqual(['install of cache', 'install of db', 'uninstall of cache'])
    expect(codes(failed)).toEqual(['cnab.run.start'])
  })

  test('because a value that a run wrote does not fit is undone, too', async () => {
    const definitions = { text: { type: 'string', maxLength: 3 }, count: {} }
    const bundle = await installed({ ...member('shop', ['mail']), definitions })

    const failed = await play({ action: 'install', bundle })

    expect(failed.runs).toEqual(['install of mail', 'uninstall of mail'])
    expect(codes(failed)).toEqual(['cnab.parameter.invalid'])
  })

  test('and cannot be undone keeps what is left for the uninstall to come', async () => {
    const endings = { 'install of mail': bad, 'uninstall of db': bad }

    const failed = await play({ action: 'install' }, {}, endings)
    const gone = await play({ action: 'uninstall' }, kept(failed))

    expect(failed.outcome.problems.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^dependency mail: .*\(install\)/),
      expect.stringMatching(/^dependency db: .*\(uninstall\)/),
    ])
    expect(gone.runs).toEqual(['uninstall of db', 'uninstall of cache'])
  })

  test.each(['stopped', 'lost'] as const)('and was %s is left to people', async (end) => {
    const failed = await play({ action: 'install' }, {}, { 'install of db': { end: { kind: end } } })
    const gone = await play({ action: 'uninstall' }, kept(failed))

    expect(failed.runs).toEqual(['install of cache', 'install of db'])
    expect(gone.runs).toEqual(['uninstall of db', 'uninstall of cache'])
  })
})

describe('an upgrade to a version with other dependencies', () => {
  test('installs what is new, and uninstalls at the end what is needed no more', async () => {
    const made = await play({ action: 'install' })

    const upgraded = await play({ action: 'upgrade', bundle: await second() }, kept(made))
    const gone = await play({ action: 'uninstall', bundle: await second() }, kept(upgraded))

    expect([upgraded.runs, codes(upgraded)]).toEqual([
      ['upgrade of mail', 'install of search', 'upgrade of shop', 'uninstall of db', 'uninstall of cache'],
      [],
    ])
    expect(gone.runs).toEqual(['uninstall of shop', 'uninstall of search', 'uninstall of mail'])
  })

  test('undoes what it newly installed when it fails', async () => {
    const made = await play({ action: 'install' })

    const failed = await play({ action: 'upgrade', bundle: await second() }, kept(made), {
      'upgrade of shop': bad,
    })

    expect(failed.runs.slice(-2)).toEqual(['upgrade of shop', 'uninstall of search'])
    expect((await play({ action: 'uninstall' }, kept(failed))).runs).toEqual(uninstalls)
  })

  test('also where an earlier version has not kept the bundles of dependencies apart', async () => {
    const made = await play({ action: 'install' })
    const ledger = openLedger(kept(made))
    const { dependencies: _, ...older } = ledger.installation() as Installation
    ledger.keep(older)

    const upgraded = await play({ action: 'upgrade', bundle: await second() }, ledger.carryover())

    expect(upgraded.runs.slice(-2)).toEqual(['uninstall of db', 'uninstall of cache'])
  })
})

test('a dependency that is ordered by its own name runs alone', async () => {
  const made = await play({ action: 'install' })

  const changed = await play({ action: 'upgrade', alias: 'db' }, kept(made))

  expect([changed.runs, codes(changed)]).toEqual([['upgrade of db'], []])
})
