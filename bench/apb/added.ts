/** What the broker and its stand-in add to a bundle's own container, beyond what a broker adds to a pattern's. */
import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { tweed } from '../../src/contracts/tweed/index.ts'
import type { Engine } from '../../src/engines/engine.ts'
import { openEmbeddedEngine } from '../../src/engines/index.ts'
import { makeIdentity } from '../../src/engines/stand-in/certificate.ts'
import { systemClock } from '../../src/kit/clock.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import type { Address, Job } from '../../src/model/job.ts'
import { bundleImage } from '../../test/apb/image.ts'
import { jobFor, packageOf, situation } from '../../test/apb/stage.ts'
import { type BrokerProcess, startBrokerProcess } from '../../test/support/broker-process.ts'
import type { TestImage } from '../../test/support/busybox.ts'
import { openTheatre } from '../../test/tweed/cases.ts'
import { situation as patternSituation } from '../../test/tweed/stage.ts'
import { median } from '../figures.ts'
import { connect, inTurns, offering, onEngine, type Pair } from '../orders.ts'

const warmUp = 15
const rounds = 30
const goalMs = 25

const spec = `
version: 1.0
name: bench
description: A bundle
bindable: false
async: optional
plans:
  - {name: default, description: One, free: true, parameters: [{name: url, type: string, default: ''}]}
`

/** Writes a Secret with credentials where it is told to: alone to a server of ours, else to the stand-in. */
const entrypoint = `
url=$(printf %s "$3" | sed -n 's/.*"url":"\\([^"]*\\)".*/\\1/p')
case $url in
  none) exit 0 ;;
  https*) account=/tmp; printf %s 'of-nothing' > /tmp/token; server=$url; insecure=-k ;;
esac
body="{\\"metadata\\":{\\"name\\":\\"$POD_NAME\\"},\\"data\\":{\\"fields\\":\\"eyJ1c2VyIjoicm9vdCJ9\\"}}"
if [ -z "$insecure" ]; then insecure="--cacert $account/ca.crt"; fi
curl -sS $insecure -H "Authorization: Bearer $(cat $account/token)" -H 'Content-Type: application/json' \\
  -X POST -d "$body" -o /dev/null "$server/api/v1/namespaces/$POD_NAMESPACE/secrets"
`

/** Measures all three ways in one broker, and prints what each adds. */
export async function tellAdded(): Promise<void> {
  const theatre = await openTheatre()
  const pattern = await theatre.shop.build('bench', { ops: { provision: 'exit 0\n' } })
  const bundle = await bundleImage(theatre.folder, 'bundle', { spec, entrypoint })
  const config = join(theatre.folder, 'chandler.yml')
  const dataDir = join(theatre.folder, 'data')
  const entries = [
    { package: pattern, contract: 'tweed', service: { name: 'pattern' }, plans: [{ name: 'plan' }] },
    { package: bundle.reference, contract: 'apb', options: { registry: 'dh', namespace: 'here' } },
  ]
  writeFileSync(config, JSON.stringify(offering(entries)))
  const broker = await startBrokerProcess({ dataDir, config })
  const images = openArtifactStore({ folder: join(dataDir, 'images') })
  const engine = await openEmbeddedEngine({
    folder: join(dataDir, 'embedded'),
    clock: systemClock,
    images: images.images,
    supplies: images,
  })
  const peer = await bareServer()
  try {
    const { digest } = await images.images.open(pattern)
    const patternJob = {
      ...(await provisionOf()),
      program: { kind: 'image' as const, reference: pattern, digest },
    }
    const ofPattern = await added({ broker, engine }, 'pattern', {}, patternJob)
    tell('a pattern', ofPattern)
    const figures = [
      ['a bundle that calls nothing', 'none', await bundleJob(bundle, 'none')],
      ['a bundle that writes its credentials', 'stand-in', await bundleJob(bundle, peer.url, peer)],
    ] as const
    for (const [what, url, alone] of figures) {
      const pairs = await added({ broker, engine }, 'dh-bench', { url }, alone)
      tell(what, pairs)
      const beyond = addedBy(pairs) - addedBy(ofPattern)
      console.log(
        `${what}: ${beyond.toFixed(1)} ms beyond what a pattern costs (goal at most ${goalMs}: ${beyond <= goalMs ? 'met' : 'missed'})`,
      )
    }
  } finally {
    peer.server.close()
    await engine.close()
    await images.close()
    await broker.end('SIGTERM')
    theatre.close()
  }
}

async function added(
  { broker, engine }: { readonly broker: BrokerProcess; readonly engine: Engine },
  service: string,
  parameters: JsonObject,
  job: Job,
): Promise<readonly Pair[]> {
  const platform = await connect(broker.url, service)
  const turns = { ours: () => platform.provision(parameters), alone: () => onEngine(engine, job) }
  return (await inTurns(warmUp + rounds, turns)).slice(warmUp)
}

async function provisionOf(): Promise<Job> {
  const prepared = tweed.prepare({ kind: 'provision' }, await patternSituation())
  if (prepared.kind !== 'job') throw new Error(prepared.kind)
  return prepared.job
}

/** The job of the bundle without its sandbox: the container alone, with what it calls lent to a network of its own. */
async function bundleJob({ reference, digest }: TestImage, url: string, peer?: Address): Promise<Job> {
  const parameters = { url }
  const instance = { id: 'alone', context: { namespace: 'here' }, parameters }
  const {
    sandbox: _sandbox,
    late: _late,
    ...job
  } = jobFor({ kind: 'provision' }, situation(await packageOf(spec), { instance }))
  return {
    ...job,
    program: { kind: 'image', reference, digest },
    needs: { ...job.needs, cluster: 'none' },
    ...(peer === undefined ? {} : { lent: [{ address: peer.address, port: peer.port }] }),
    wants: job.wants.filter(({ kind }) => kind !== 'cluster-objects'),
  }
}

/** Answers everything with 201 over TLS, by a certificate as the stand-in has. */
async function bareServer(): Promise<Address & { readonly url: string; readonly server: Server }> {
  const { certificate, key } = makeIdentity(systemClock.now(), [])
  const server = createServer({ cert: certificate, key }, (request, response) => {
    request.resume()
    request.on('end', () => response.writeHead(201, { 'content-type': 'application/json' }).end('{}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { address, port } = server.address() as AddressInfo
  return { server, address, port, url: `https://${address}:${port}` }
}

function tell(what: string, pairs: readonly Pair[]): void {
  const [ours, alone] = [median(pairs.map((pair) => pair.ours)), median(pairs.map((pair) => pair.alone))]
  console.log(
    `${what} through OSB: ${ours.toFixed(1)} ms against ${alone.toFixed(1)} ms of its container alone; added by pairs ${addedBy(pairs).toFixed(1)} ms`,
  )
}

function addedBy(pairs: readonly Pair[]): number {
  return median(pairs.map((pair) => pair.ours - pair.alone))
}
