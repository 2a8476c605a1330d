/** A broker for one case: the image in its catalog, orders through the Open Service Broker API, looks by the operator API. */
import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Operation } from '../../src/api/operation.ts'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { makeClient } from '../../src/client/client.ts'
import { type Broker, startBroker } from '../../src/compose.ts'
import { tweed } from '../../src/contracts/tweed/index.ts'
import { openEngines } from '../../src/host/engines.ts'
import { readPackage } from '../../src/host/read-package.ts'
import { systemClock } from '../../src/kit/clock.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { openLog } from '../../src/kit/log.ts'
import { Secret } from '../../src/kit/secret.ts'
import { describeProblem, toProblem } from '../../src/model/problem.ts'
import type { Case, OperationName, Seen, SeenFile, Step } from './case.ts'
import { operator, optionsOfCase, password, platform, service, settingsOfCase } from './case-settings.ts'
import { type Answer, callOsb } from './osb.ts'
import { classOf, metadataWith, report } from './stage.ts'

export interface StageOrder {
  readonly folder: string
  /** Shared by all stages of a run, so that layers are unpacked once. */
  readonly images: string
  readonly reference: string
  readonly case: Case
  /** More settings, for example which engine. */
  readonly settings?: JsonObject
  /** Plans beside that of the case. */
  readonly plans?: readonly JsonObject[]
  /** More of the catalog's entry, for example what the pattern is lent. */
  readonly entry?: JsonObject
}

const ended = new Set(['succeeded', 'failed', 'cancelled'])

export class Stage {
  readonly #order: StageOrder
  #plan: Case['plan']
  #broker: Promise<Broker> | undefined
  #starts = 0
  /** What the broker itself has said, to tell why a case failed. */
  readonly said: string[] = []
  readonly #broadcast = openLog({
    level: 'info',
    format: 'json',
    clock: systemClock,
    always: {},
    secrets: () => [],
    sink: (line) => void this.said.push(line),
  })

  constructor(order: StageOrder) {
    this.#order = order
    this.#plan = order.case.plan
    mkdirSync(order.images, { recursive: true })
    mkdirSync(this.#data, { recursive: true, mode: 0o700 })
    symlinkSync(order.images, join(this.#data, 'images'))
  }

  get #data(): string {
    return join(this.#order.folder, 'data')
  }

  broker(): Promise<Broker> {
    this.#broker ??= startBroker(this.#settings(), { log: this.#broadcast, version: '0.0.0-test' })
    return this.#broker
  }

  async stop(): Promise<void> {
    await (await this.#broker)?.stop()
    this.#broker = undefined
  }

  async close(): Promise<void> {
    await this.stop()
    rmSync(this.#order.folder, { recursive: true, force: true })
  }

  /** Another plan for orders from now on. */
  async changePlan(plan: Case['plan']): Promise<void> {
    this.#plan = plan
    await this.stop()
  }

  /** The operations on an instance that have not ended, the first first. */
  async underWay(instance: string): Promise<readonly Operation[]> {
    const { items } = await (await this.#client()).operations({ instance })
    return items.filter(({ state }) => !ended.has(state)).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** The image was published again: existing instances are moved to it. */
  async replaceImage(): Promise<void> {
    await this.stop()
    const client = await this.#client()
    for (const { id } of (await client.instances({})).items) await client.repin({ platform, instance: id })
  }

  /** Reads the metadata as an operator does before the package is offered. */
  async metadata(): Promise<Seen> {
    const begun = performance.now()
    const pieces: Uint8Array[] = []
    const seen = (rest: Omit<Seen, 'seconds' | 'log'>): Seen => ({
      ...rest,
      log: Buffer.concat(pieces).toString(),
      seconds: (performance.now() - begun) / 1000,
    })
    const artifacts = openArtifactStore({ folder: this.#order.images })
    const engines = await this.#engines()
    try {
      const { package: pkg } = await readPackage(
        { artifacts, engines },
        {
          reference: this.#order.reference,
          contract: 'tweed',
          options: this.#options(),
          signal: new AbortController().signal,
          progress: () => undefined,
          log: (piece) => {
            pieces.push(piece.bytes)
            return Promise.resolve()
          },
        },
      )
      const { metadata } = pkg.notes as { readonly metadata: JsonObject }
      return seen({ outcome: 'valid', exitCode: 0, metadata })
    } catch (error) {
      const problem = toProblem(error)
      if (problem.code === 'internal.unexpected') throw error
      const message = describeProblem(problem)
      return seen({
        outcome: 'invalid',
        reason: classOf(problem),
        exitCode: exitCodeOf(message) ?? 0,
        message,
      })
    } finally {
      for (const engine of engines) await engine.close()
      await artifacts.close()
    }
  }

  /** Enrols the image without running it, as one that was described before it went bad. */
  async enrolUnseen(): Promise<void> {
    const artifacts = openArtifactStore({ folder: this.#order.images })
    const artifact = await artifacts.images.open(this.#order.reference)
    await artifacts.close()
    const options = this.#options()
    const reading = await tweed.read(artifact, { options, described: report({ stdout: metadataWith() }) })
    if (reading.kind !== 'package') throw new Error(`not a package: ${JSON.stringify(reading)}`)
    const { openStore } = await import('../../src/store/index.ts')
    const { keyRingOf } = await import('../../src/compose/settings-of-parts.ts')
    const { storeUrlOf } = await import('../../src/settings/data-folder.ts')
    const { systemChance } = await import('../../src/kit/clock.ts')
    const settings = this.#settings()
    const keys = keyRingOf(settings, systemChance)
    const store = await openStore({
      url: storeUrlOf(settings),
      keys,
      clock: systemClock,
      chance: systemChance,
    })
    await store.write(async (tx) =>
      tx.putEnrolment({
        name: service,
        reference: this.#order.reference,
        digest: artifact.digest,
        contract: 'tweed',
        state: 'offered',
        document: { package: reading.package, options } as unknown as JsonObject,
        updatedAt: await tx.now(),
      }),
    )
    await store.close()
  }

  /** Orders one of the four operations; `finish` waits for its end. */
  async order(step: Step, op: Exclude<OperationName, 'metadata'>): Promise<() => Promise<Seen>> {
    const instance = step.instance ?? 'i1'
    const before = await this.#runs(instance, op)
    const begun = performance.now()
    for (;;) {
      const answer = await this.#send(op, instance, step)
      const body = answer.body as {
        readonly operation?: string
        readonly description?: string
        readonly error?: string
      }
      const message = body.description ?? ''
      const outcome = outcomeOf(answer.status, body.error)
      if (outcome === 'busy' && step.acceptBusy) {
        await systemClock.sleep(50)
        continue
      }
      return async () => {
        const seconds = () => (performance.now() - begun) / 1000
        const after = async () => {
          const runs = await this.#runs(instance, op)
          return { runs, ran: runs > before }
        }
        if (outcome !== 'accepted') return { outcome, message, ...(await after()), seconds: seconds() }
        const ended = await this.#ended(body.operation ?? '')
        return { ...(await this.#seen(ended, step)), ...(await after()), seconds: seconds() }
      }
    }
  }

  async instanceState(instance: string): Promise<string> {
    const found = await (await this.#client()).instance({ platform, instance }).catch(() => undefined)
    if (found === undefined) return 'none'
    return found.state === 'ready' ? 'provisioned' : found.state
  }

  async bindings(instance: string): Promise<Readonly<Record<string, string>>> {
    const client = await this.#client()
    const found = await client.bindings({ platform, instance }).catch(() => ({ items: [] }))
    return Object.fromEntries(
      found.items.filter(({ state }) => state !== 'gone').map(({ id, state }) => [id, state]),
    )
  }

  async credentials(instance: string, binding: string): Promise<unknown> {
    const { status, body } = await this.osb('GET', `/${id(instance)}/service_bindings/${id(binding)}`)
    return status === 200 ? (body as { readonly credentials?: unknown }).credentials : undefined
  }

  async files(instance: string): Promise<ReadonlyMap<string, SeenFile>> {
    const client = await this.#client()
    const key = { platform, instance }
    const files = new Map<string, SeenFile>()
    for (const { name, state, summary, description } of (await client.outputs(key)).items) {
      const there = state !== 'missing' && state !== 'too-large'
      const content = Buffer.from(there ? await client.output(key, name) : [])
      files.set(name, { state, summary, description, content })
    }
    return files
  }

  async logOf(instance: string, op: OperationName): Promise<string> {
    const client = await this.#client()
    const { items } = await client.operations({ instance })
    const found = items.filter(({ action }) => action === op).toSorted((a, b) => (a.id < b.id ? 1 : -1))[0]
    return found ? this.#log(found.id) : ''
  }

  /** Runs that are still there a moment after the end. */
  async leftovers(): Promise<readonly string[]> {
    const engines = await this.#engines()
    const left = async () =>
      (
        await Promise.all(
          ['describe', ...(await this.#clusters())].map((cluster) =>
            Promise.all(engines.map((engine) => engine.list(cluster))),
          ),
        )
      ).flat(2)
    try {
      for (let i = 0; i < 50 && (await left()).length > 0; i++) await systemClock.sleep(100)
      return (await left()).map(({ name }) => `${name} is left over`)
    } finally {
      for (const engine of engines) await engine.close()
    }
  }

  async #clusters(): Promise<readonly string[]> {
    const cluster = await (await this.#client()).cluster()
    return [cluster.id]
  }

  async #seen(operation: Operation, step: Step): Promise<Omit<Seen, 'seconds'>> {
    const { state, problem, description = '' } = operation
    const bound =
      step.op === 'bind' ? await this.credentials(step.instance ?? 'i1', step.binding ?? '') : undefined
    return {
      outcome: state === 'succeeded' ? 'succeeded' : 'failed',
      reason: problem?.code.split('.').at(-1),
      exitCode:
        state === 'succeeded' || problem?.code.startsWith('tweed.bind.') ? 0 : exitCodeOf(description),
      message: description,
      log: await this.#log(operation.id),
      credentials: bound,
    }
  }

  async #ended(operation: string): Promise<Operation> {
    const client = await this.#client()
    for (;;) {
      const found = await client.operation(operation)
      if (ended.has(found.state)) return found
      await systemClock.sleep(10)
    }
  }

  async #log(operation: string): Promise<string> {
    const client = await this.#client()
    let text = ''
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page: Awaited<ReturnType<typeof client.log>> = await client.log(operation, after)
      text += page.items.map((line) => line.text).join('')
      after = page.next
    }
    return text
  }

  async #runs(instance: string, op: OperationName): Promise<number> {
    const client = await this.#client()
    const { items } = await client.operations({ instance })
    const runs = await Promise.all(
      items
        .filter(({ action }) => action === op)
        .map(async (one) => (await client.runs(one.id)).items.length),
    )
    return runs.reduce((sum, count) => sum + count, 0)
  }

  async #send(op: OperationName, instance: string, step: Step): Promise<Answer> {
    const plan = await this.ids()
    const query = `?service_id=${plan.service_id}&plan_id=${plan.plan_id}&accepts_incomplete=true`
    const binding = `/${id(instance)}/service_bindings/${id(step.binding ?? '')}`
    const parameters = parametersOf(step)
    const given = parameters === undefined ? '' : `,"parameters":${parameters}`
    const common = `"service_id":"${plan.service_id}","plan_id":"${plan.plan_id}"${given}`
    switch (op) {
      case 'provision':
        return this.osb(
          'PUT',
          `/${id(instance)}?accepts_incomplete=true`,
          `{${common},"organization_guid":"o","space_guid":"s"}`,
        )
      case 'bind':
        return this.osb('PUT', `${binding}?accepts_incomplete=true`, `{${common}}`)
      case 'unbind':
        return this.osb('DELETE', binding + query)
      default:
        return this.osb('DELETE', `/${id(instance)}${query}`)
    }
  }

  /** Of the service and of its n-th plan. */
  async ids(plan = 0): Promise<{ readonly service_id: string; readonly plan_id: string }> {
    const offer = (await this.broker()).catalog().offers[plan]
    return { service_id: offer?.service.id ?? 'none', plan_id: offer?.plan.id ?? 'none' }
  }

  /** Paths go out as they are: no dots are resolved. */
  async osb(method: 'GET' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: string): Promise<Answer> {
    const { url } = await this.broker()
    return callOsb({ url, user: platform, password }, method, `/v2/service_instances${path}`, body)
  }

  async #client() {
    const { url } = await this.broker()
    return makeClient({ url, credentials: { user: operator, password: new Secret(password) } })
  }

  #engines() {
    return openEngines({
      folder: this.#data,
      clock: systemClock,
      artifacts: openArtifactStore({ folder: this.#order.images }),
      choice: this.#order.settings?.['engine'] === 'docker' ? 'docker' : 'embedded',
    })
  }

  #options(): JsonObject {
    return optionsOfCase(this.#order.case)
  }

  #settings() {
    return settingsOfCase({ ...this.#order, data: this.#data, plan: this.#plan, start: this.#starts++ })
  }
}

function outcomeOf(status: number, error: string | undefined): string {
  if (status === 202) return 'accepted'
  if (status === 200 || status === 201) return 'already-exists'
  if (status === 409) return 'conflict'
  if (status === 410) return 'gone'
  if (status === 422 && error === 'ConcurrencyError') return 'busy'
  if (status >= 400 && status < 500) return 'rejected'
  return `status ${status}`
}

function parametersOf({ params, paramsJson, paramsRepeat }: Step): string | undefined {
  if (paramsJson !== undefined) return paramsJson
  if (paramsRepeat) {
    const long = Object.entries(paramsRepeat).map(([name, [sign, count]]) => [name, sign.repeat(count)])
    return JSON.stringify({ ...params, ...Object.fromEntries(long) })
  }
  return params && JSON.stringify(params)
}

function exitCodeOf(text: string): number | undefined {
  const found = /ended with status (\d+)/.exec(text)
  return found ? Number(found[1]) : undefined
}

function id(text: string): string {
  return encodeURIComponent(text)
}
