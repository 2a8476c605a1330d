import { describe, expect, test } from 'vitest'
import { lookupOf, member } from '../../../test/cnab/members.ts'
import { document, type Ending, packageOf, report, seenBy, situation } from '../../../test/cnab/stage.ts'
import type { Job } from '../../model/job.ts'
import type { Carryover, Outcome } from '../../model/outcome.ts'
import type { Package } from '../../model/package.ts'
import type { Action } from '../../model/situation.ts'
import type { Lookup } from '../contract.ts'
import { withChain } from './chain.ts'
import { cnab } from './index.ts'

const provision: Action = { kind: 'provision' }
const update: Action = { kind: 'update' }
const deprovision: Action = { kind: 'deprovision' }

const family = { db: member('db', ['cache']), cache: member('cache'), mail: member('mail') }
const shop = () => packageOf(member('shop', ['db', 'mail']), { lookup: lookupOf(family) })

interface Played {
  /** `action of installation` of every run, without the name of the instance. */
  readonly runs: readonly string[]
  readonly outcome: Outcome
}

/** Plays an action to its end; runs that are named end as they are told, all others go well. */
function play(
  action: Action,
  pkg: Package,
  more: Partial<Parameters<typeof situation>[1]> = {},
  endings: Readonly<Record<string, Ending>> = {},
): Played {
  const runs: string[] = []
  let at = situation(pkg, more)
  const prepared = cnab.prepare(action, at)
  if (prepared.kind === 'refused') return { runs, outcome: { problems: prepared.problems } }
  if (prepared.kind === 'nothing-to-run') return { runs, outcome: prepared.outcome }
  for (let job: Job = prepared.job; ; ) {
    const { env } = seenBy(job)
    const run = `${env['CNAB_ACTION']} of ${env['CNAB_BUNDLE_NAME']}`
    runs.push(run)
    const written = env['CNAB_ACTION'] === 'uninstall' ? {} : { name: String(env['CNAB_INSTALLATION_NAME']) }
    const conclusion = cnab.conclude(action, at, report(endings[run] ?? { written }))
    if (conclusion.kind === 'done') return { runs, outcome: conclusion.outcome }
    job = conclusion.job
    const operation = { ...at.operation, stage: at.operation.stage + 1 }
    at = { ...at, carryover: conclusion.carryover, operation }
  }
}

const kept = ({ outcome }: Played): Carryover => outcome.carryover ?? {}
const codes = ({ outcome }: Played) => outcome.problems.map(({ code }) => code)
const installs = ['install of cache', 'install of db', 'install of mail', 'install of shop']
const uninstalls = ['uninstall of shop', 'uninstall of mail', 'uninstall of db', 'uninstall of cache']

describe('a bundle with dependencies of dependencies', () => {
  test('is installed from the bottom up and uninstalled from the top down', async () => {
    const pkg = await shop()

    const made = play(provision, pkg)
    const gone = play(deprovision, pkg, { carryover: kept(made) })

    expect([made.runs, codes(made)]).toEqual([installs, []])
    expect([gone.runs, codes(gone), kept(gone)]).toEqual([uninstalls, [], {}])
  })

  test('is refused whole before anything starts, with the place of each fault', async () => {
    const parameters = { count: 10, 'db#count': 'x', 'db#cache#count': 11, 'db#none': 1, 'post#count': 1 }

    const { runs, outcome } = play(provision, await shop(), { parameters })

    expect(runs).toEqual([])
    expect(outcome.problems.map(({ where }) => where?.pointer)).toEqual([
      '/post#count',
      '/db#cache#count',
      '/db#none',
      '/db#count',
      '/count',
    ])
  })

  test('reaches each of them with what is addressed to it', async () => {
    const at = situation(await shop(), { parameters: { count: 2, 'db#cache#count': 3 } })
    const prepared = cnab.prepare(provision, at)

    expect(prepared.kind === 'job' && seenBy(prepared.job).env).toMatchObject({ COUNT: '3' })
  })

  test.each([
    ['that depends on itself', { ...family, cache: member('cache', ['db']) }, 'it depends on itself'],
    [
      'two of which would be one installation',
      { ...family, 'db-cache': member('x') },
      'would be one installation',
    ],
  ])('%s is refused', async (_, members, detail) => {
    const top = member('shop', Object.keys(members).includes('db-cache') ? ['db-cache', 'db'] : ['db'])
    const lookup = lookupOf(members)
    const open: Lookup['open'] = (reference) =>
      reference.includes('db-cache')
        ? Promise.resolve(document(member('x'), reference))
        : lookup.open(reference)

    const reading = await cnab.read(document(top), { options: {}, lookup: { ...lookup, open } })
    const details = reading.kind === 'refused' ? reading.problems.map((one) => one.detail) : []

    expect(details).toEqual([expect.stringContaining(detail)])
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
    const pkg = await shop()

    const failed = play(provision, pkg, {}, { [failing]: { exit: 7, written: { name: '' } } })

    expect(failed.runs).toEqual(runs)
    expect(codes(failed)).toEqual(['cnab.run.failed'])
    expect(failed.outcome).toMatchObject({
      message: 'what was installed for it has been uninstalled again',
      usable: false,
      carryover: {},
    })
  })

  test('and cannot be undone keeps what is left for whoever takes it down', async () => {
    const pkg = await shop()
    const bad = { exit: 1, written: { name: '' } }

    const failed = play(provision, pkg, {}, { 'install of mail': bad, 'uninstall of db': bad })
    const gone = play(deprovision, pkg, { carryover: kept(failed) })

    expect(codes(failed)).toEqual(['cnab.run.failed', 'cnab.run.failed'])
    expect(failed.outcome.problems.map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^dependency mail: .*\(install\)/),
      expect.stringMatching(/^dependency db: .*\(uninstall\)/),
    ])
    expect(gone.runs).toEqual(['uninstall of db', 'uninstall of cache'])
  })

  test('because a value that a run wrote does not fit is undone, too', async () => {
    const pkg = await packageOf(
      { ...member('shop', ['db']), definitions: { text: { type: 'string', maxLength: 3 }, count: {} } },
      { lookup: lookupOf(family) },
    )

    const failed = play(provision, pkg)

    expect(failed.runs).toEqual([
      'install of cache',
      'install of db',
      'uninstall of db',
      'uninstall of cache',
    ])
    expect(codes(failed)).toEqual(['cnab.parameter.invalid'])
  })

  test.each(['stopped', 'lost'] as const)('and was %s is left to people', async (end) => {
    const failed = play(provision, await shop(), {}, { 'install of db': { end: { kind: end } } })

    expect(failed.runs).toEqual(['install of cache', 'install of db'])
    expect(play(deprovision, await shop(), { carryover: kept(failed) }).runs).toEqual([
      'uninstall of db',
      'uninstall of cache',
    ])
  })
})

describe('what never ran is not uninstalled', () => {
  test('of an install that was stopped between two runs', async () => {
    const at = situation(await shop())
    const conclusion = cnab.conclude(provision, at, report({ written: { name: 'c' } }))
    const unstarted = conclusion.kind === 'next' ? conclusion.unstarted : undefined

    expect(play(deprovision, at.package, { carryover: unstarted ?? {} }).runs).toEqual(['uninstall of cache'])
  })

  test('but a run that may have begun when everything ended is', async () => {
    const at = situation(await shop())
    const conclusion = cnab.conclude(provision, at, report({ written: { name: 'c' } }))
    const cut = conclusion.kind === 'next' ? conclusion.carryover : {}
    const operation = { ...at.operation, id: '01kb0000000000000000000002' }

    expect(play(deprovision, at.package, { carryover: cut, operation }).runs).toEqual([
      'uninstall of db',
      'uninstall of cache',
    ])
  })
})

describe('an upgrade to a version with other dependencies', () => {
  const other = () =>
    packageOf(member('shop', ['mail', 'search'], '2.0.0'), {
      lookup: lookupOf({ ...family, search: member('search') }),
    })

  test('installs what is new, and uninstalls at the end what is needed no more', async () => {
    const made = play(provision, await shop())

    const upgraded = play(update, await other(), { carryover: kept(made) })
    const gone = play(deprovision, await other(), { carryover: kept(upgraded) })

    expect(upgraded.runs).toEqual([
      'upgrade of mail',
      'install of search',
      'upgrade of shop',
      'uninstall of db',
      'uninstall of cache',
    ])
    expect(gone.runs).toEqual(['uninstall of shop', 'uninstall of search', 'uninstall of mail'])
  })

  test('undoes what it newly installed when it fails, for the version before knows nothing of it', async () => {
    const made = play(provision, await shop())
    const bad = { exit: 1, written: { name: '' } }

    const failed = play(update, await other(), { carryover: kept(made) }, { 'upgrade of shop': bad })
    const gone = play(deprovision, await shop(), { carryover: kept(failed) })

    expect(failed.runs.slice(-2)).toEqual(['upgrade of shop', 'uninstall of search'])
    expect(gone.runs).toEqual(uninstalls)
  })
})

describe('names of installations', () => {
  const nameOf = async (more: Parameters<typeof situation>[1]) => {
    const prepared = cnab.prepare(provision, situation(await packageOf(member('one')), more))
    return prepared.kind === 'job' ? String(seenBy(prepared.job).env['CNAB_INSTALLATION_NAME']) : ''
  }
  const instance = (id: string) => ({ instance: { id, context: {}, parameters: {} } })

  test('differ for ids that differ only in case, in hyphens or in their platform', async () => {
    const names = await Promise.all([
      nameOf(instance('0c7f9a2e-0000-4000-8000-00000000abcd')),
      nameOf(instance('0c7f9a2e00004000800000000000abcd')),
      nameOf(instance('0C7F9A2E-0000-4000-8000-00000000ABCD')),
      nameOf({ ...instance('0c7f9a2e-0000-4000-8000-00000000abcd'), platform: 'other' }),
      nameOf({ ...instance('b'), platform: 'a' }),
      nameOf({ ...instance('ab'), platform: '' }),
    ])

    expect(new Set(names).size).toBe(names.length)
    for (const name of names) expect(name).toMatch(/^s[0-9a-f]{32}$/)
  })

  test('stay as they were for installations that have one, and for dependencies of theirs', async () => {
    const pkg = await shop()
    const made = kept(play(provision, pkg))
    const renamed = Object.fromEntries(
      Object.entries(made).map(([name, bytes]) => {
        if (!name.endsWith('claim')) return [name, bytes]
        const claim = JSON.parse(Buffer.from(bytes).toString()) as { installation: string }
        const installation = claim.installation.replace(/^s[0-9a-f]{32}/, 'sold')
        return [name, Buffer.from(JSON.stringify({ ...claim, installation }))]
      }),
    )
    const { claim: _own, ...withoutOwn } = renamed
    const operation = { id: '01kb0000000000000000000003', stage: 0, attempt: 1 }

    const names = [renamed, withoutOwn].map((carryover) => {
      const links = [{ action: 'upgrade' }]
      const chain = { operation: operation.id, links, next: 0, because: [] }
      const at = situation(pkg, { carryover: withChain(carryover, chain), operation })
      const prepared = cnab.prepare(update, at)
      return prepared.kind === 'job' ? seenBy(prepared.job).env['CNAB_INSTALLATION_NAME'] : prepared
    })

    expect(names).toEqual(['sold', 'sold'])
  })
})
