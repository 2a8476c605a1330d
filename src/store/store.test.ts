/** What every store does with instances, bindings, operations and the rest, whichever database is behind it. */
import { describe, expect, test } from 'vitest'
import { codeOf } from '../../test/support/problems.ts'
import { aBinding, anInstance } from '../../test/support/rows.ts'
import { openTestStore, storeKinds } from '../../test/support/stores.ts'
import { present } from '../kit/present.ts'
import { ProblemError } from '../model/problem.ts'
import { ownerOfInstance } from '../model/sealed.ts'

const key = { platform: 'cf', instance: 'i-1' }

describe.each(storeKinds)('%s', (kind) => {
  test('an instance comes back as it was written, absent things absent', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const slim = anInstance()
    const full = anInstance({
      instance: 'i-2',
      currentOperation: 'op',
      name: 'Käse',
      dashboardUrl: 'https://d',
      labels: { a: 'b' },
      attributes: { deep: [{ x: null }] },
      maintenance: '1.2.3',
    })

    await store.write(async (tx) => {
      await tx.putInstance(slim)
      await tx.putInstance(full)
    })

    expect(await store.look.instance(key)).toStrictEqual(slim)
    expect(await store.look.instance({ ...key, instance: 'i-2' })).toStrictEqual(full)
    expect(await store.look.instance({ ...key, platform: 'other' })).toBeUndefined()
  })

  test('a locked instance is changed, and things taken out of it are gone', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write((tx) => tx.putInstance(anInstance({ currentOperation: 'op', name: 'n' })))

    await store.write(async (tx) => {
      await tx.lockInstance(key)
      await tx.putInstance(anInstance({ generation: 2 }))
    })

    expect(await store.look.instance(key)).toStrictEqual(anInstance({ generation: 2 }))
  })

  test('writing an instance that nobody looked up does not overwrite one that is there', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write((tx) => tx.putInstance(anInstance()))

    const again = store.write((tx) => tx.putInstance(anInstance({ generation: 9 })))

    await expect(codeOf(again)).resolves.toBe('instance.exists')
    expect((await store.look.instance(key))?.generation).toBe(1)
  })

  test('a binding comes back as it was written, changes, and is listed with its instance', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const full = aBinding({ binding: 'b-2', currentOperation: 'op', predecessor: 'b-1', expiresAt: 5 })
    await store.write(async (tx) => {
      await tx.putBinding(full)
      await tx.putBinding(aBinding())
      await tx.putBinding(aBinding({ instance: 'i-2' }))
    })

    await store.write(async (tx) => {
      await tx.lockBinding({ ...key, binding: 'b-1' })
      await tx.putBinding(aBinding({ state: 'gone' }))
    })

    expect(await store.look.bindings(key)).toStrictEqual([aBinding({ state: 'gone' }), full])
    expect(await store.look.binding({ ...key, binding: 'b-2' })).toStrictEqual(full)
    await expect(codeOf(store.write((tx) => tx.putBinding(aBinding())))).resolves.toBe('binding.exists')
  })

  test('a transaction that fails leaves nothing', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened

    const failing = store.write(async (tx) => {
      await tx.putInstance(anInstance())
      await tx.seal(ownerOfInstance(key), 'parameters', Buffer.from('x'))
      throw new ProblemError({ code: 'instance.busy' })
    })

    await expect(codeOf(failing)).resolves.toBe('instance.busy')
    expect(await store.look.instance(key)).toBeUndefined()
    expect(await store.look.unseal(ownerOfInstance(key), 'parameters')).toBeUndefined()
  })

  test('a transaction sees what it wrote itself, others only what was committed', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened

    const seen = await store.write(async (tx) => {
      await tx.putInstance(anInstance())
      return tx.instance(key)
    })

    expect(seen).toStrictEqual(anInstance())
    expect(await store.look.instance(key)).toStrictEqual(anInstance())
  })

  test('a transaction that is kept and used after its end is refused', async () => {
    await using opened = await openTestStore(kind)
    const kept = await opened.store.write(async (tx) => ({ tx }))

    await expect(kept.tx.putInstance(anInstance())).rejects.toThrow('not used after its end')
  })

  test('instances are listed by id in pages that join up, across platforms', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const all = ['a', 'B', 'ä', 'b', '🚢'].flatMap((instance) =>
      ['cf', 'k8s'].map((platform) => anInstance({ platform, instance })),
    )
    await store.write(async (tx) => {
      for (const instance of all) await tx.putInstance(instance)
    })

    const seen: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await store.look.instances({ most: 3, ...present({ after }) })
      seen.push(...page.items.map((item) => `${item.instance} ${item.platform}`))
      if (page.next === undefined) break
      after = page.next
    }

    expect(seen).toEqual(['B', 'a', 'b', 'ä', '🚢'].flatMap((id) => [`${id} cf`, `${id} k8s`]))
  })

  test('the latest change is first, and pages of that order join up', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write(async (tx) => {
      for (const updatedAt of [3, 9, 12, 100])
        for (const platform of ['cf', 'k8s'])
          await tx.putInstance(anInstance({ platform, instance: `at-${updatedAt}`, updatedAt }))
    })
    const seen: string[] = []
    for (let after: string | undefined; ; ) {
      const page = await store.look.instances({
        ...{ order: 'latest', most: 3 },
        ...present({ after }),
      })
      seen.push(...page.items.map((item) => `${item.instance} ${item.platform}`))
      if (page.next === undefined) break
      after = page.next
    }

    expect(seen).toEqual([100, 12, 9, 3].flatMap((at) => [`at-${at} k8s`, `at-${at} cf`]))
  })

  test('a session that was ended stays so until it would be over', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write((tx) => tx.endSession('s-1', 60_000))
    await store.write((tx) => tx.endSession('s-1', 60_000))
    await store.write((tx) => tx.endSession('s-2', -1))
    await store.write((tx) => tx.forget({ operationDays: 1, logDays: 1, goneDays: 1, auditDays: 1 }, 100))

    expect(await store.look.isSessionEnded('s-1')).toBe(true)
    expect(await store.look.isSessionEnded('s-2')).toBe(false)
  })

  test('bindings are found by how their ids begin, those that are gone are not', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write(async (tx) => {
      await tx.putInstance(anInstance())
      for (const [binding, state] of [
        ['app-1', 'bound'],
        ['app-2', 'gone'],
        ['web', 'bound'],
      ] as const)
        await tx.putBinding(aBinding({ binding, state }))
    })

    expect(
      (await store.look.bindingsNamed({ beginning: 'app', most: 10 })).map(({ binding }) => binding),
    ).toEqual(['app-1'])
  })

  test.each([
    [{ platform: 'k8s' }, ['x-3']],
    [{ planId: 'plan-2' }, ['x-2']],
    [{ serviceId: 'service-2' }, ['x-2']],
    [{ state: 'gone' as const }, ['y-4']],
    [{ text: 'x' }, ['x-1', 'x-2', 'x-3']],
    [{ text: 'x-2' }, ['x-2']],
    [{ text: 'the name' }, ['y-4']],
    [{ text: 'the' }, []],
    [{ beginning: 'the' }, ['y-4']],
    [{ beginning: 'x-' }, ['x-1', 'x-2', 'x-3']],
    [{ isPresent: true }, ['x-1', 'x-2', 'x-3']],
    [{ order: 'latest' as const }, ['y-4', 'x-3', 'x-2', 'x-1']],
    [{ text: 'x', platform: 'cf', planId: 'plan-1' }, ['x-1']],
  ])('instances are found by %j', async (filter, expected) => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write(async (tx) => {
      await tx.putInstance(anInstance({ instance: 'x-1' }))
      await tx.putInstance(anInstance({ instance: 'x-2', planId: 'plan-2', serviceId: 'service-2' }))
      await tx.putInstance(anInstance({ instance: 'x-3', platform: 'k8s' }))
      await tx.putInstance(anInstance({ instance: 'y-4', state: 'gone', name: 'the name' }))
    })

    const page = await store.look.instances({ most: 10, ...filter })

    expect(page.items.map((item) => item.instance)).toEqual(expected)
  })

  test.each([
    '',
    'nonsense',
    Buffer.from('["a"]').toString('base64url'),
    Buffer.from('[1,2]').toString('base64url'),
  ])('the page marker %j is refused', async (after) => {
    await using opened = await openTestStore(kind)

    await expect(codeOf(opened.store.look.instances({ most: 1, after }))).resolves.toBe('request.malformed')
  })

  test('offered plans and enrolled packages come back as written, change, and are taken out', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const offering = {
      serviceId: 's',
      planId: 'p',
      digest: 'd',
      retired: false,
      document: { plan: { name: 'small' } },
    }
    const enrolment = {
      name: 'redis',
      reference: 'oci:redis',
      digest: 'd',
      contract: 'tweed',
      state: 'offered' as const,
      document: {},
      updatedAt: 1,
    }
    await store.write(async (tx) => {
      await tx.putOffering({ ...offering, retired: true })
      await tx.putOffering(offering)
      await tx.putEnrolment({ ...enrolment, state: 'refused' })
      await tx.putEnrolment(enrolment)
    })

    expect(await store.look.offering('p')).toEqual(offering)
    expect(await store.look.offerings()).toEqual([offering])
    expect(await store.look.offering('q')).toBeUndefined()
    expect(await store.look.enrolment('redis')).toEqual(enrolment)
    expect(await store.look.enrolments()).toEqual([enrolment])

    await store.write((tx) => tx.removeEnrolment('redis'))
    expect(await store.look.enrolment('redis')).toBeUndefined()
  })

  test('a plan is found as one package offers it, and without a package as it is or was last offered', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const offering = { serviceId: 's', planId: 'p', document: {} }
    const put = (digest: string, retired: boolean): Promise<void> =>
      store.write((tx) => tx.putOffering({ ...offering, digest, retired }))

    await put('1', false)
    await put('2', false)
    expect((await store.look.offering('p'))?.digest).toBe('2')
    await put('1', true)
    expect((await store.look.offering('p'))?.digest).toBe('2')
    await put('2', true)

    expect((await store.look.offering('p'))?.digest).toBe('2')
    expect(await store.look.offering('p', '1')).toEqual({ ...offering, digest: '1', retired: true })
    expect(await store.look.offering('p', '3')).toBeUndefined()
  })

  test('an answer is kept for its idempotency key, and its body is sealed', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const row = { scope: 'cf PUT', key: 'k/1', fingerprint: 'f', status: 201, body: { password: 'geheim' } }
    await store.write((tx) => tx.putIdempotent({ ...row, status: 202, operation: 'op' }))
    await store.write((tx) => tx.putIdempotent(row))

    expect(await store.look.idempotent('cf PUT', 'k/1')).toStrictEqual(row)
    expect(await store.look.idempotent('cf PUT', 'k')).toBeUndefined()
    expect(await store.look.sealedByKey()).toEqual([{ key: opened.options.keys.active(), records: 2 }])
  })

  test('nodes are listed as they last announced themselves', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const node = { name: 'n', boot: 'b', version: '1', draining: false, startedAt: 1, heartbeatAt: 2 }
    await store.write((tx) => tx.putNode(node))
    await store.write((tx) => tx.putNode({ ...node, draining: true, heartbeatAt: 3 }))

    expect(await store.look.nodes()).toEqual([{ ...node, draining: true, heartbeatAt: 3 }])
  })

  test('the freeze is remembered and lifted', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const freeze = { reason: 'upgrade', by: 'admin', all: false }
    const before = await store.look.cluster()

    await store.write((tx) => tx.putFreeze(freeze))
    expect(await store.look.cluster()).toStrictEqual({ ...before, freeze })
    await store.write((tx) => tx.putFreeze(undefined))

    expect(await store.look.cluster()).toStrictEqual(before)
    expect(before).toStrictEqual({ id: expect.stringMatching(/^[0-9a-z]{26}$/), epoch: 1 })
  })

  test('a tombstone stands until its time, and a shorter one does not replace it', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    await store.write(async (tx) => {
      await tx.addTombstone('run-1', 'ended', 1000)
      await tx.addTombstone('run-1', 'again', 10)
      await tx.addTombstone('run-2', 'ended', 10)
    })
    await opened.advance(500)

    expect(await store.look.tombstones()).toEqual(['run-1'])
  })

  test('a singleton has one holder until its lease is over', async () => {
    await using opened = await openTestStore(kind)
    const { store } = opened
    const hold = (node: string): Promise<boolean> =>
      store.write((tx) => tx.holdSingleton('sweep', node, 1000))

    expect([await hold('a'), await hold('b'), await hold('a')]).toEqual([true, false, true])
    await opened.advance(1001)

    expect([await hold('b'), await hold('a')]).toEqual([true, false])
  })

  test('the store answers and takes writes', async () => {
    await using opened = await openTestStore(kind)

    await expect(opened.store.probe()).resolves.toBeUndefined()
  })
})
