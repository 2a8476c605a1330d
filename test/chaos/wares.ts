/** What customers of a storm order: what only pretends, or a bundle whose program runs in a container. */

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { planId, serviceId, serviceName } from '../../src/contracts/apb/names.ts'
import type { JsonObject } from '../../src/kit/json.ts'
import { bundleImage } from '../apb/image.ts'
import { specOf } from '../apb/spec.ts'
import { thickBundle } from '../cnab/bundle.ts'
import { conformanceConfig, slowOffer } from '../support/broker-process.ts'
import { noteStarts } from '../support/sim-starts.ts'
import type { StormyCluster } from './stormy-cluster.ts'

/** How long the work takes, and how it ends. */
export interface Pretence {
  readonly ms: number
  readonly outcome: 'succeed' | 'fail'
}

export interface Offer {
  readonly service_id: string
  readonly plan_id: string
}

export interface Wares {
  /** The configuration that offers them. */
  readonly config: string
  /** Everything is done in the background. */
  readonly offer: Offer
  /** Everything is done inside the request. */
  readonly quick?: Offer
  /** Parameters of orders that end so. */
  create(size: number, create: Pretence, remove: Pretence): JsonObject
  change(size: number, change: Pretence, remove: Pretence, turn: number): JsonObject
  bind(create: Pretence, remove: Pretence): JsonObject
  /** How often an operation was begun, as its engine noted or its program said. */
  starts(operation: string, log: string): number
  /** What is wrong with a log. */
  misspoken(log: string, isWhole: boolean): readonly string[]
  /** Operations that began and that the broker may not know. */
  begun(): readonly string[]
}

/** What no log, no file and no answer may show. */
export const canary = 'canary-of-the-storm-5c1e77'

/** What the sim contract makes of its parameters. */
export function pretended(dataDir: string): Wares {
  const starts = noteStarts(dataDir)
  const operationOf = (run: string): string => /^chd-[^-]+-([0-9a-z]{26})-/.exec(run)?.[1] ?? run
  return {
    config: conformanceConfig,
    offer: slowOffer,
    quick: { service_id: slowOffer.service_id, plan_id: '86484a09-6ffa-4969-b4bb-72ddd2e7e502' },
    create: (size, create, remove) => ({ size, secret: canary, sim: { create, delete: remove } as never }),
    // The sim contract takes a wish that says the same as the one before for none.
    change: (size, change, remove, turn) => ({
      size,
      sim: { update: { ...change, log_every_ms: 1000 + Math.floor(turn * 1e6) }, delete: remove } as never,
    }),
    bind: (create, remove) => ({ sim: { create, delete: remove } as never }),
    starts: (operation) => starts(operation).length,
    misspoken: () => [],
    begun: () => [...new Set(starts().map(operationOf))],
  }
}

const lines = 5

const run = `
echo "begin $CNAB_ACTION $CNAB_REVISION"
n=0
while [ $n -lt ${lines} ]; do n=$((n+1)); echo "line $n $SECRET"; sleep "$PAUSE"; done
printf '%s' "$SIZE" > /cnab/app/outputs/size
echo "end $CNAB_ACTION"
exit "\${STATUS:-0}"
`

const bundle = {
  definitions: {
    size: { type: 'integer', default: 1 },
    pause: { type: 'string', default: '0' },
    status: { type: 'integer', default: 0 },
    text: { type: 'string', default: '' },
    secret: { type: 'string', default: '', writeOnly: true },
  },
  parameters: {
    size: { definition: 'size', destination: { env: 'SIZE' } },
    pause: { definition: 'pause', destination: { env: 'PAUSE' } },
    status: { definition: 'status', destination: { env: 'STATUS' }, applyTo: ['install', 'upgrade'] },
    secret: { definition: 'secret', destination: { env: 'SECRET' } },
  },
  outputs: { size: { definition: 'text', path: '/cnab/app/outputs/size', applyTo: ['install', 'upgrade'] } },
  // A bind hands out what install and upgrade wrote.
  custom: { 'io.chandler.service': { bindings: { credentials: { size: `\${outputs.size}` } } } },
}

const accounts = `
auth:
  users:
    - { name: conformance, password: conformance-of-osb, role: platform }
    - { name: operator, password: conformance-of-operators, role: operator }
`

/** A bundle that is made here, in containers of the embedded engine or pods of a cluster. */
export async function bundled(folder: string, cluster?: StormyCluster): Promise<Wares> {
  mkdirSync(folder, { recursive: true })
  const { folder: made } = await thickBundle(folder, { name: 'stormy', run, bundle })
  const offer = {
    service_id: '0d1c0f5a-9a57-4a35-8f0e-3c2b6f0f7a11',
    plan_id: '6f0c9b1e-2d5b-4f0a-9c55-5a1de1f3c8d2',
  }
  const config = join(folder, 'chandler.yml')
  writeFileSync(
    config,
    `http: { listen: '127.0.0.1:0', adminListen: off }
${cluster === undefined ? 'engine: embedded' : inCluster(cluster)}
shutdown: { drainDelay: 0s, drain: 5s }
${accounts}
catalog:
  - package: ${made}
    service: { id: ${offer.service_id}, name: stormy, description: A bundle in a storm. }
    plans: [{ id: ${offer.plan_id}, name: default, from: default, description: The only one. }]
`,
  )
  const work = ({ ms, outcome }: Pretence): JsonObject => ({
    pause: (ms / 1000 / lines).toFixed(3),
    status: outcome === 'fail' ? 4 : 0,
  })
  return {
    config,
    offer,
    create: (size, create) => ({ size, secret: canary, ...work(create) }),
    change: (size, change) => ({ size, ...work(change) }),
    bind: () => ({}),
    starts: (_operation, log) => log.split(/^begin /m).length - 1,
    misspoken,
    begun: () => [],
  }
}

function inCluster({ kubeconfig, helper, registry }: StormyCluster): string {
  return `engine: kubernetes
kubernetes: { kubeconfig: ${kubeconfig}, helper: '${helper}', registry: '${registry}/packages' }
registries: { hosts: [{ host: '${registry}', plainHttp: true }] }`
}

const spec = specOf('stormy-apb', {
  parameters: [
    '{name: size, type: int, default: 1, updatable: true}',
    "{name: pause, type: string, default: '0', updatable: true}",
    '{name: status, type: int, default: 0, updatable: true}',
    "{name: secret, type: string, default: '', display_type: password}",
  ],
})

/**
 * Calls the stand-in before its work and after it: what was written before a kill must be there after. A call that was cut off is made
 * again, as clients do; what it made the first time is there already.
 */
const entrypoint = `
value() { printf %s "$vars" | sed -n "s/.*\\"$1\\":\\"\\{0,1\\}\\([^\\",}]*\\).*/\\1/p"; }
vars=$3
echo "begin $1"
own=/api/v1/namespaces/$POD_NAMESPACE/configmaps
until_done() { tries=0; until "$@" 2>/dev/null | tail -1 | grep -qE '^(200|201|409)$'; do tries=$((tries+1)); [ $tries -lt 50 ] || return 1; sleep 0.2; done; }
until_done call POST $own '' '{"metadata":{"name":"mark"},"data":{"of":"'$POD_NAME'"}}' || { echo 'no mark'; exit 9; }
n=0
while [ $n -lt ${lines} ]; do n=$((n+1)); echo "line $n $(value secret)"; sleep "$(value pause)"; done
until_done call GET $own/mark || { echo 'its mark is lost'; exit 9; }
case $1 in provision|update|bind) until_done credentials '{"size":"'$(value size)'"}' || { echo 'no credentials'; exit 9; } ;; esac
echo "end $1"
case $1 in provision|update) exit "$(value status)" ;; esac
exit 0
`

/** A service bundle that is made here, in containers of the embedded engine beside its stand-in. */
export async function serviceBundled(folder: string): Promise<Wares> {
  mkdirSync(folder, { recursive: true })
  const { reference } = await bundleImage(folder, 'stormy', { spec, entrypoint })
  const config = join(folder, 'chandler.yml')
  writeFileSync(
    config,
    `http: { listen: '127.0.0.1:0', adminListen: off }
engine: embedded
shutdown: { drainDelay: 0s, drain: 5s }
${accounts}
catalog:
  - package: ${reference}
    contract: apb
    options: { registry: dh, namespace: target, launchOnBind: always }
`,
  )
  const service = serviceName('dh', 'stormy-apb')
  const work = ({ ms, outcome }: Pretence): JsonObject => ({
    pause: (ms / 1000 / lines).toFixed(3),
    status: outcome === 'fail' ? 4 : 0,
  })
  return {
    config,
    offer: { service_id: serviceId(service), plan_id: planId(service, 'default') },
    create: (size, create) => ({ size, secret: canary, ...work(create) }),
    change: (size, change) => ({ size, ...work(change) }),
    bind: () => ({}),
    starts: (_operation, log) => log.split(/^begin /m).length - 1,
    misspoken,
    begun: () => [],
  }
}

/** Each line once and in order, none left out, and the secret in none. */
function misspoken(log: string, isWhole: boolean): readonly string[] {
  const told = [...log.matchAll(/^line (\d+) /gm)].map(([, n]) => Number(n))
  return [
    ...(told.every((n, i) => n === i + 1) ? [] : [`has the lines ${told.join(' ')}`]),
    ...(isWhole && (told.length !== lines || !/^end /m.test(log)) ? ['is not whole'] : []),
  ]
}
