/** A real cluster of one node for tests: started in namespaces of its own in a few seconds, gone with what started it. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openArtifactStore } from '../../src/artifacts/index.ts'
import { busyboxImage } from '../support/busybox.ts'
import { freshFolder } from '../support/image.ts'
import { findPrograms } from './programs.ts'

export interface TestCluster {
  readonly folder: string
  /** Everything is permitted to it. */
  readonly kubeconfig: string
  readonly server: string
  /** The repository prefix of a registry that the node pulls from, and this process pushes to. */
  readonly registry: string
  /** An image of busybox there. */
  readonly helper: string
  /** The address of this machine that pods reach. */
  readonly host: string
  /** What stands before a command that shall run in the network of the node, where pods are reached. */
  readonly inside: readonly string[]
  /**
   * What happens to it. restart: the API server ends, and another one serves; forget: the same without a word, and all that was is
   * compacted away, so that no watch can go on from where it stood; freeze, thaw: the node answers nothing, and does nothing, until then.
   */
  order(what: 'restart' | 'forget' | 'freeze' | 'thaw'): Promise<void>
  stop(): Promise<void>
}

const adminToken = 'token-of-the-admin'

/** Starts one. Tests ask clusterMissing() before. */
export async function startCluster(): Promise<TestCluster> {
  const programs = findPrograms()
  const folder = freshFolder('kubernetes')
  const { host, node } = freeAddresses()
  writeSettings(folder, { node, programs })
  const child = spawn(join(import.meta.dirname, 'node.sh'), [folder, programs, host, node], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // A signal for the group of the tests is not for it: it ends with its standard input, and tidies up.
    detached: true,
  })
  const said = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const gone = new Promise((resolve) => child.once('exit', resolve))
  const pid = await innerPid(child)
  connect(pid, host)
  const registry = `${node}:5000`
  const helper = `${registry}/busybox:1`
  await said.next()
  await push(helper, registry)
  return {
    folder,
    kubeconfig: join(folder, 'kubeconfig-outside'),
    server: `https://${node}:16443`,
    registry,
    helper,
    host,
    inside: ['nsenter', `--net=/proc/${pid}/ns/net`],
    order: async (what) => {
      child.stdin.write(`${what}\n`)
      await said.next()
    },
    stop: async () => {
      child.stdin.end()
      await gone
    },
  }
}

/** Two addresses of a net that nothing on this machine uses. */
function freeAddresses(): { readonly host: string; readonly node: string } {
  const used = Object.values(networkInterfaces()).flatMap((all) => all?.map(({ address }) => address) ?? [])
  for (let at = process.pid % 16384; ; at = (at + 1) % 16384) {
    const base = [198, 18 + ((at >> 14) & 1), (at >> 6) & 255, (at & 63) * 4]
    const address = (n: number): string => [...base.slice(0, 3), (base[3] ?? 0) + n].join('.')
    if (!used.includes(address(1))) return { host: address(1), node: address(2) }
  }
}

/** The first process inside. */
async function innerPid(child: ChildProcess): Promise<number> {
  for (;;) {
    const found = spawnSync('pgrep', ['-P', String(child.pid), '-x', 'unshare'], { encoding: 'utf8' })
    const outer = found.stdout.trim()
    const inner = outer && spawnSync('pgrep', ['-P', outer], { encoding: 'utf8' }).stdout.trim()
    if (inner) return Number(inner.split('\n')[0])
    if (child.exitCode !== null) throw new Error('the node ended before it began')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** A link between this machine and the node; it is gone with the node. */
function connect(pid: number, host: string): void {
  const name = `chdk${pid}`
  const ip = (...words: readonly string[]): void => {
    execFileSync('ip', words)
  }
  ip('link', 'add', name, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid))
  ip('addr', 'add', `${host}/30`, 'dev', name)
  ip('link', 'set', name, 'up')
}

interface Places {
  readonly host: string
  readonly node: string
  readonly programs: string
}

function writeSettings(folder: string, { node, programs }: Pick<Places, 'node' | 'programs'>): void {
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text)
  const openssl = (...words: readonly string[]): void => {
    execFileSync('openssl', words, { cwd: folder, stdio: 'pipe' })
  }
  const names = `IP:10.244.0.1,IP:10.97.0.1,IP:${node},DNS:kubernetes.default.svc`
  openssl(
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'],
    ...['-keyout', 'server.key', '-out', 'server.crt', '-subj', '/CN=cluster', '-addext'],
    `subjectAltName=${names}`,
  )
  openssl('genrsa', '-out', 'accounts.key', '2048')
  write('tokens', `${adminToken},admin,admin,"system:masters"\n`)
  write('kubeconfig', kubeconfigOf(folder, 'https://10.244.0.1:16443'))
  write('kubeconfig-outside', kubeconfigOf(folder, `https://${node}:16443`))
  write('registry.yml', registryYaml(folder, node))
  const certificates = join(folder, 'certs.d', `${node}:5000`)
  mkdirSync(certificates, { recursive: true })
  writeFileSync(
    join(certificates, 'hosts.toml'),
    `[host."http://${node}:5000"]\n  capabilities = ["pull", "resolve"]\n`,
  )
  mkdirSync(join(folder, 'cni'))
  write('cni/10-bridge.conflist', JSON.stringify(network))
  write('kubelet.yaml', kubeletYaml)
  write('containerd.toml', containerdToml(folder, { node, programs }))
}

function kubeconfigOf(folder: string, server: string): string {
  const authority = readFileSync(join(folder, 'server.crt')).toString('base64')
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': authority } }],
    users: [{ name: 'admin', user: { token: adminToken } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin', namespace: 'default' } }],
    'current-context': 'test',
  })
}

const network = {
  cniVersion: '0.4.0',
  name: 'pods',
  plugins: [
    {
      type: 'bridge',
      bridge: 'cni0',
      isGateway: true,
      ipMasq: false,
      ipam: {
        type: 'host-local',
        dataDir: '/run/cni-networks',
        ranges: [[{ subnet: '10.244.0.0/24', rangeStart: '10.244.0.10' }]],
        routes: [{ dst: '0.0.0.0/0' }],
      },
    },
  ],
}

const kubeletYaml = `
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: 10.244.0.1
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
cgroupsPerQOS: false
enforceNodeAllocatable: []
oomScoreAdj: 0
failSwapOn: false
makeIPTablesUtilChains: false
maxPods: 200
serializeImagePulls: false
registryPullQPS: 0
evictionHard: {memory.available: 10Mi}
clusterDomain: cluster.local
featureGates: {LocalStorageCapacityIsolation: false}
`

function containerdToml(folder: string, { node, programs }: Pick<Places, 'node' | 'programs'>): string {
  return `version = 2
root = "${folder}/containerd"
state = "/run/containerd"
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${node}:5000/busybox:1"
  restrict_oom_score_adj = true
  disable_tcp_service = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${programs}/cni"
    conf_dir = "${folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".registry]
    config_path = "${folder}/certs.d"
`
}

function registryYaml(folder: string, node: string): string {
  return [
    'version: 0.1',
    'log: {level: error, accesslog: {disabled: true}}',
    `storage: {filesystem: {rootdirectory: ${folder}/registry}, delete: {enabled: true}}`,
    `http: {addr: "${node}:5000", secret: x}`,
  ].join('\n')
}

/** An image of busybox that sleeps when it is told nothing: what helps in pods, and what sandboxes consist of. */
async function push(helper: string, host: string): Promise<void> {
  const folder = freshFolder('helper')
  const settings = { entrypoint: ['/bin/busybox', 'sh', '-c', 'sleep 2000000000'] }
  const { reference } = await busyboxImage(folder, 'helper', { settings })
  const store = openArtifactStore({
    folder: join(folder, 'store'),
    registries: { hosts: { [host]: { plainHttp: true } } },
  })
  await store.copy({
    from: reference,
    to: `docker://${helper}`,
    signal: new AbortController().signal,
    progress: () => undefined,
  })
  rmSync(folder, { recursive: true, force: true })
}
