/** A cluster for people: built where need be, started, and ended with Ctrl-C. */
import { startCluster } from './cluster.ts'
import { clusterMissing } from './programs.ts'

process.env['CHANDLER_TEST_KUBERNETES'] = '1'
if (clusterMissing() !== undefined) process.exit(1)
const startedAt = performance.now()
const cluster = await startCluster()
console.log(
  `a cluster of one node, ready after ${Math.round(performance.now() - startedAt)} ms; Ctrl-C ends it`,
)
console.log(`export KUBECONFIG=${cluster.kubeconfig}`)
console.log(`images for it: ${cluster.registry}/NAME`)
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    cluster.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  })
