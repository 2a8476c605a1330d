/** What a platform and an operator order of a telltale package: lives that end well, lives that fail, orders that are refused. */
import { lstatSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { JsonObject } from '../../src/kit/json.ts'
import type { Told } from './packages.ts'
import type { Piece } from './processes.ts'
import { filesBelow, type Stage } from './stage.ts'

export interface Lives {
  /** Orders that did not end as they should have. */
  readonly faults: readonly string[]
  /** Files that were there while a program ran and that others than the broker may read. */
  readonly openFiles: readonly Piece[]
  /** Live logs, as a viewer followed them. */
  readonly followed: readonly Piece[]
}

/** Leads them one after another. */
export async function leadLives(stage: Stage, told: Told, control: string): Promise<Lives> {
  const faults: string[] = []
  const openFiles: Piece[] = []
  const followed: Piece[] = []
  const want = (what: string, wanted: string | RegExp, got: string): void => {
    if (!new RegExp(wanted).test(got)) faults.push(`${what}: ${got.slice(0, 1000)}`)
  }
  const at = `/v2/service_instances/${control}`
  const order = (parameters: JsonObject): JsonObject => ({
    parameters: { ...told.parameters, ...parameters },
    context: { platform: 'kubernetes', namespace: 'n', clusterid: 'c' },
  })
  const begun = stage.order('PUT', at, order({}))
  const following = followLatest(stage, begun)
  while (!(await Promise.race([begun.then(() => true), pause(200, false)])))
    openFiles.push(...readableBelow(stage.folder))
  followed.push(await following)
  want('provision', 'succeeded', await begun)
  want('the instance', '200', String((await stage.ask('platform', 'GET', at)).status))
  const binding = `${at}/service_bindings/${control}`
  want('bind', 'succeeded', await stage.order('PUT', binding, { parameters: told.bindParameters }, true))
  await stage.ask('platform', 'GET', binding, { isSecretPlace: true })
  // Patterns know no update.
  want('update', 'succeeded|422', await stage.order('PATCH', at, order({})))
  await stage.order('PATCH', at, order(told.failing))
  want('a provision that fails', 'failed', await stage.order('PUT', `${at}-f`, order(told.failing)))
  for (const parameters of refused(told)) {
    const [, value] = Object.entries(parameters)[0] ?? []
    await stage.order('PUT', `${at}-r`, { parameters })
    await stage.ask('admin', 'POST', '/api/v1/instances', {
      body: { service: control, plan: 'only', parameters },
    })
    await stage.ask('platform', 'PUT', `${at}-r`, {
      body: {
        service_id: 'none',
        plan_id: 'none',
        parameters,
        x: value ?? null,
      },
    })
  }
  await stage.ask('platform', 'GET', '/v2/catalog')
  await stage.ask('admin', 'POST', '/api/v1/backups', { body: {} })
  await lookAtEverything(stage, control)
  want('unbind', 'succeeded|gone', await stage.order('DELETE', binding, undefined))
  want('deprovision', 'succeeded|gone', await stage.order('DELETE', at, undefined))
  await stage.order('DELETE', `${at}-f`, undefined)
  await lookAtEverything(stage, control)
  return { faults, openFiles, followed }
}

/** A secret in a place where it is not expected, of a type that is not expected, one too many. */
function refused({ parameters }: Told): readonly JsonObject[] {
  const values = Object.entries(parameters).filter(([name]) => name !== 'sim')
  const others = [
    { ...Object.fromEntries(values.map(([name, value]) => [name, [[value]]])) },
    { sim: 'none', mode: ['none'], ...Object.fromEntries(values) },
    { ...parameters, 'not-known': values[3]?.[1] ?? null, mode: { deep: values[3]?.[1] ?? null } },
  ]
  // A package that takes no secrets would carry out an order without any.
  return others.filter((one) => Object.keys(one).length > 0)
}

/** Everything that can be read at the operator API, by the viewer and the operator. */
async function lookAtEverything(stage: Stage, control: string): Promise<void> {
  const { paths } = (await stage.document('watcher', '/api/openapi.json')) as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  }
  const { items: operations } = (await stage.document(
    'watcher',
    '/api/v1/operations?limit=100',
  )) as unknown as {
    readonly items: readonly { readonly id: string }[]
  }
  const { items: packages } = (await stage.document('watcher', '/api/v1/packages')) as unknown as {
    readonly items: readonly { readonly name: string }[]
  }
  const fills: Readonly<Record<string, readonly string[]>> = {
    platform: ['platform'],
    instance: [control, `${control}-f`],
    binding: [control],
    operation: operations.map(({ id }) => id),
    name: packages.map(({ name }) => encodeURIComponent(name)),
    key: ['none'],
  }
  for (const [path, { get }] of Object.entries(paths)) {
    if (get === undefined) continue
    for (const filled of fill(path, fills)) {
      await stage.ask('watcher', 'GET', filled)
      // These two are where an operator reads secrets.
      await stage.ask('admin', 'GET', filled, {
        isSecretPlace: /credentials$|outputs\/[^/]+$/.test(path),
      })
    }
  }
}

function fill(path: string, fills: Readonly<Record<string, readonly string[]>>): readonly string[] {
  const [, name] = /\{(\w+)\}/.exec(path) ?? []
  if (name === undefined) return [path]
  return (fills[name] ?? []).flatMap((value) => fill(path.replace(`{${name}}`, value), fills))
}

/** The log of the operation that runs now, as events; nothing where the order is refused. */
async function followLatest(stage: Stage, begun: Promise<string>): Promise<Piece> {
  for (let isOver = false; !isOver; isOver = await Promise.race([begun.then(() => true), pause(20, false)])) {
    const { items } = (await stage.document('watcher', '/api/v1/operations?limit=1')) as unknown as {
      readonly items: readonly { readonly id: string; readonly state: string }[]
    }
    const [latest] = items
    if (latest !== undefined && latest.state !== 'queued') return stage.follow(latest.id)
  }
  return { name: 'no live log', bytes: new Uint8Array() }
}

/** Files that every user of this machine could open. */
export function readableBelow(folder: string): readonly Piece[] {
  return filesBelow(folder).filter(({ name }) => isOpenToAll(folder, relative(folder, name)))
}

function isOpenToAll(folder: string, path: string): boolean {
  const steps = path.split(sep)
  return steps.every((_, index) => {
    const mode = lstatSync(join(folder, ...steps.slice(0, index + 1)), { throwIfNoEntry: false })?.mode ?? 0
    return (mode & (index === steps.length - 1 ? 0o004 : 0o001)) !== 0
  })
}
