import { afterAll } from 'vitest'
import { engineSuite } from '../../../test/engine-suite.ts'
import { startCluster, type TestCluster } from '../../../test/kubernetes/cluster.ts'
import { clusterMissing } from '../../../test/kubernetes/programs.ts'
import { openArtifactStore } from '../../artifacts/index.ts'
import { systemClock } from '../../kit/clock.ts'
import { openKubernetesEngine } from './index.ts'

let cluster: TestCluster | undefined
afterAll(async () => {
  await cluster?.stop()
})

const agent = 'the first process of a pod is what waits for the program'
const eviction = 'the kubelet ends pods that fill the disk, and that of this node does not look'

engineSuite({
  name: 'kubernetes engine',
  missing: clusterMissing(),
  shell: true,
  open: async (folder) => {
    cluster ??= await startCluster()
    const artifacts = openArtifactStore({
      folder: `${folder}/artifacts`,
      registries: { hosts: { [cluster.registry]: { plainHttp: true } } },
    })
    return await openKubernetesEngine({
      kubeconfig: cluster.kubeconfig,
      helper: cluster.helper,
      registry: `${cluster.registry}/packages`,
      pullSecrets: [],
      startMs: 120_000,
      images: artifacts.images,
      copier: artifacts,
      supplies: artifacts,
      clock: systemClock,
      environment: {},
    })
  },
  skips: {
    'a program that prints without end takes a bounded part of the disk, and ends at its limit':
      'what a node keeps in memory is not seen from here; pretended.test.ts shows it',
    'processes of the host are not seen': agent,
    'a first process that a signal ended has status 128 and the signal': agent,
    'what is written within the limit is told, and ends nothing': eviction,
    ...Object.fromEntries(
      [
        'one file',
        'many files',
        'in a folder that is wanted back',
        'names without content',
        'files without a name',
      ].map((how) => [`a program that fills its disk is ended for that: ${how}`, eviction]),
    ),
  },
})
