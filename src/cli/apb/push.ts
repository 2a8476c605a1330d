/** chandler apb push: a bundle into a developer's broker, offered when the command ends. */
import type { Command } from 'commander'
import type { CatalogService } from '../../api/catalog.ts'
import type { Package } from '../../api/package.ts'
import type { Client } from '../../client/client.ts'
import { systemClock } from '../../kit/clock.ts'
import { present } from '../../kit/present.ts'
import { fail, failAll, type Problem } from '../../model/problem.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { durationOf } from '../follow.ts'
import { printOne } from '../output.ts'
import { type LocalOptions, withBase, withLocal } from './local-options.ts'

interface PushOptions extends LocalOptions {
  readonly to: string
  readonly base?: string
  readonly timeout: string
}

/** Adds `push`. */
export function registerPush(group: Command): void {
  const pushing = add(group, {
    usage: 'push [folder]',
    summary: 'Build a bundle into the catalog of a broker for developers',
    description:
      'Builds the bundle to a place that a source of the broker lists: a repository of its registry, or a layout in its folder. Ends when the broker offers exactly this image; the source asks for news at its refreshInterval.',
    examples: [
      'apb push my-bundle --to docker://registry.example/bundles/my-bundle:latest',
      'apb push my-bundle --to oci:/srv/bundles/my-bundle:latest --timeout 30s',
    ],
  })
    .requiredOption('--to <reference>', 'where the image goes, as a source of the broker lists it')
    .option('--timeout <duration>', 'how long to wait for the broker, such as 90s or 30m', '2m')
  withBase(withConnection(withLocal(pushing))).action(
    (folder: string | undefined, options: PushOptions, command: Command) =>
      push(folder ?? '.', options, command),
  )
}

async function push(folder: string, options: PushOptions, command: Command): Promise<void> {
  const { dataDir, output, to, base, timeout } = options
  const until = systemClock.monotonic() + durationOf(timeout)
  const client = await connect(command)
  // A broker that cannot be asked is told before anything is built.
  const before = listedAt((await client.packages()).items)
  const { pushBundle } = await import('../../authoring/apb/push.ts')
  const { reference, digest } = await pushBundle({ folder, dataDir, to, ...present({ base }) })
  const services = await offered(client, digest, { before, until })
  await printOne(output, {
    kind: 'PushedBundle',
    name: reference,
    value: { reference, digest, services: services.map(({ name, id }) => ({ name, id })) },
    fields: [
      ['Image', reference],
      ['Digest', digest],
      ['Service', services.map(({ name }) => name).join(', ')],
    ],
  })
}

const askEveryMs = 500

/** The services that the broker offers of an image, as soon as there are any, or its reasons against it. Problems: apb.push. */
async function offered(
  client: Client,
  digest: string,
  { before, until }: { readonly before: ReadonlyMap<string, string>; readonly until: number },
): Promise<readonly CatalogService[]> {
  for (;;) {
    const { services } = await client.catalog()
    const own = services.filter((one) => one.package.digest === digest)
    if (own.length > 0) return own
    const { items } = await client.packages()
    const now = listedAt(items)
    const refused = items.find((one) => one.digest === digest && one.state === 'refused')
    // What an earlier listing refused may be taken by the next one.
    const isNews = refused?.source !== undefined && now.get(refused.source) !== before.get(refused.source)
    if (isNews) failAll(reasonsOf(refused))
    if (systemClock.monotonic() >= until) fail('apb.push', `no service of ${digest} came in time`)
    await systemClock.sleep(askEveryMs)
  }
}

/** In the broker's words, each a problem of its own. */
function reasonsOf({ name, problems = [] }: Package): readonly Problem[] {
  return problems.map(
    ({ message }): Problem => ({ code: 'apb.push', detail: `${name} is refused: ${message}` }),
  )
}

/** When each source was listed last, by its name. */
function listedAt(packages: readonly Package[]): ReadonlyMap<string, string> {
  return new Map(
    packages.flatMap(({ name, listing }) =>
      listing?.listedAt === undefined ? [] : [[name, listing.listedAt]],
    ),
  )
}
