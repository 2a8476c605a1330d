/** Brokers in a real cluster, as docs/kubernetes.md shows: made, rolled out, and restarted without a failed request. */
import { execFile, spawn } from 'node:child_process'
import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeContainerImage } from '../../scripts/release/container-image.ts'
import { stage } from '../../scripts/release/stage.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { findPostgres, startPostgres } from '../support/postgres.ts'
import { blocksOf } from '../support/shown.ts'
import { startCluster, type TestCluster } from './cluster.ts'
import { clusterMissing } from './programs.ts'

const missing = clusterMissing() ?? ensurePrograms('kubectl', 'nsenter') ?? withoutPostgres()

describe.skipIf(missing !== undefined)('brokers in a cluster', () => {
  const folder = freshFolder('rollout')
  const undo: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  let cluster: TestCluster
  let played: readonly string[]

  beforeAll(async () => {
    cluster = await startCluster()
    undo.push(() => cluster.stop())
    const postgres = await startPostgres()
    undo.push(() => postgres.stop())
    const database = new URL(await postgres.database())
    const door = await openDoor(cluster.host, Number(database.port))
    undo.push(() => door.close())
    const { port } = door.address() as AddressInfo
    const staged = stage(join(folder, 'staged'))
    const architecture = process.arch === 'arm64' ? 'arm64' : 'x64'
    const archive = join(folder, 'chandler-0.1.0-image-x64.tar')
    await makeContainerImage(staged, { architecture, to: archive, builtAt: 0 })
    writeFileSync(
      join(folder, 'chandler.yml'),
      `registries: {hosts: [{host: "${cluster.registry}", plainHttp: true}]}\n`,
    )
    writeFileSync(
      join(folder, 'chandler'),
      `#!/bin/sh\nexec ${process.execPath} ${resolve('bin/chandler.mjs')} "$@"\n`,
    )
    chmodSync(join(folder, 'chandler'), 0o755)
    const page = readFileSync('docs/kubernetes.md', 'utf8')
      .replaceAll('registry.example', cluster.registry)
      .replace(
        'chandler:PASSWORD@database.example/chandler',
        `chandler@${cluster.host}:${port}${database.pathname}`,
      )
    const blocks = blocksOf(page)
    for (const { file, text } of blocks) if (file !== undefined) writeFileSync(join(folder, file), text)
    played = blocks.filter(({ kind }) => kind === 'sh').map(({ text }) => text)
  }, 900_000)
  afterAll(async () => {
    for (const step of undo.toReversed()) await step()
  }, 120_000)

  const shell = async (text: string): Promise<string> => {
    const { stdout } = await promisify(execFile)('sh', ['-euc', text], {
      cwd: folder,
      env: {
        PATH: `${folder}:${process.env['PATH']}`,
        HOME: folder,
        KUBECONFIG: cluster.kubeconfig,
        CHANDLER_CONFIG: join(folder, 'chandler.yml'),
      },
    })
    return stdout
  }
  const ready = async (): Promise<readonly string[]> =>
    (await shell("kubectl -n chandler get endpoints chandler -o 'jsonpath={.subsets[*].addresses[*].ip}'"))
      .split(' ')
      .filter((one) => one !== '')

  test('come up as the page says, with rights, store and key ring', { timeout: 600_000 }, async () => {
    const [prepare = '', apply = ''] = played
    await shell(prepare)
    const said = await shell(apply)

    expect(said).toContain('successfully rolled out')
    expect(said).toMatch(/^ok +store /m)
    expect(said).toMatch(/^ok +engine kubernetes +runs image/m)
    expect(await ready()).toHaveLength(2)
  })

  test('are accepted by the server, which has nothing to change of what it was given', async () => {
    expect(await shell('kubectl apply --dry-run=server -f chandler.yaml')).not.toMatch(/configured|created/)
    // Ends with 1 where something differs.
    await shell('kubectl diff -f chandler.yaml')
  })

  test('are restarted without a failed request', { timeout: 600_000 }, async () => {
    const [, , restart = ''] = played
    const secret = "kubectl -n chandler get secret chandler-accounts -o 'jsonpath={.data.platform}'"
    const password = Buffer.from(await shell(secret), 'base64').toString()
    const before = await ready()
    const client = startClient(cluster, password)
    client.reach(before)
    // What leads to the brokers looks on, as the proxy of a node does, which this cluster has none of.
    let isOver = false
    const watching = (async () => {
      while (!isOver) client.reach(await ready())
    })()
    await shell(restart)
    isOver = true
    await watching
    const { asked, failed, ordered } = await client.end()
    const after = await ready()

    expect(failed).toEqual([])
    expect(asked).toBeGreaterThan(50)
    expect(ordered).toBeGreaterThan(10)
    expect(before.filter((address) => after.includes(address))).toEqual([])
  })
})

function withoutPostgres(): string | undefined {
  const place = findPostgres()
  return 'missing' in place ? place.missing : undefined
}

/** A way from pods to a port of this machine's loopback. */
async function openDoor(host: string, port: number): Promise<Server> {
  const server = createServer((from) => {
    const to = connect(port, '127.0.0.1')
    from.pipe(to).pipe(from)
    from.on('error', () => to.destroy())
    to.on('error', () => from.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, host, listening))
  return server
}

interface Told {
  readonly asked: number
  readonly ordered: number
  readonly failed: readonly string[]
}

/** A client in the network of the node: reads the catalog and orders, again and again, each time over a connection of its own. */
const program = `
  import { request } from 'node:http'
  import { createInterface } from 'node:readline'
  const [password] = process.argv.slice(1)
  const told = { asked: 0, ordered: 0, failed: [] }
  let [addresses, isOver, turn] = [[], false, 0]
  const ask = (method, path, body) => new Promise((resolve) => {
    const host = addresses[turn++ % addresses.length]
    const fault = (why) => { told.failed.push(method + ' ' + path + ' at ' + host + ': ' + why); resolve({}) }
    const headers = { 'X-Broker-API-Version': '2.17', 'Content-Type': 'application/json' }
    const asked = request({ host, port: 8080, method, path, headers, auth: 'platform:' + password, agent: false }, (answer) => {
      const parts = []
      answer.on('data', (part) => parts.push(part)).on('error', fault).on('end', () => {
        told.asked += 1
        const text = Buffer.concat(parts).toString()
        if (answer.statusCode >= 300) fault(answer.statusCode + ' ' + text)
        else resolve(JSON.parse(text))
      })
    })
    asked.on('error', (error) => fault(error.message)).end(body && JSON.stringify(body))
  })
  const pause = () => new Promise((resolve) => setTimeout(resolve, 50))
  const client = async (mine) => {
    while (addresses.length === 0) await pause()
    for (let i = 0; !isOver; i++) {
      const { services } = await ask('GET', '/v2/catalog')
      if (services !== undefined) {
        const [{ id: service_id, plans: [{ id: plan_id }] }] = services
        const path = '/v2/service_instances/' + mine + '-' + i + '?accepts_incomplete=true'
        const order = { service_id, plan_id, organization_guid: 'o', space_guid: 's' }
        const { operation } = await ask('PUT', path, order)
        if (operation !== undefined) told.ordered += 1
      }
      await pause()
    }
  }
  const clients = ['a', 'b', 'c'].map(client)
  for await (const line of createInterface({ input: process.stdin })) addresses = line.split(' ')
  isOver = true
  await Promise.all(clients)
  console.log(JSON.stringify(told))
`

/** Starts it; it asks at the addresses that it was told last. */
function startClient({ inside: [first = '', ...before] }: TestCluster, password: string) {
  const words = [...before, process.execPath, '--input-type=module', '-e', program, password]
  const child = spawn(first, words, { stdio: ['pipe', 'pipe', 'inherit'] })
  const said = (async () => {
    const parts: Buffer[] = []
    for await (const part of child.stdout) parts.push(part as Buffer)
    return JSON.parse(Buffer.concat(parts).toString()) as Told
  })()
  return {
    reach: (addresses: readonly string[]) => void child.stdin.write(`${addresses.join(' ')}\n`),
    end: (): Promise<Told> => {
      child.stdin.end()
      return said
    },
  }
}
