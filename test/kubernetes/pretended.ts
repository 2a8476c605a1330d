/**
 * A cluster that is pretended: an API server in this process, whose node runs containers as processes in namespaces of their own,
 * without limits and without confinement. For what the engine does with pods; what a kubelet does only a real cluster shows.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { Duplex } from 'node:stream'
import { freshFolder } from '../support/image.ts'
import { type PretendedObjects, pretendObjects } from './pretended-objects.ts'

export interface PretendedCluster {
  readonly server: string
  readonly pods: ReadonlyMap<string, PretendedPod>
  /** All else that it has. */
  readonly objects: PretendedObjects
  /** The next requests of that kind are answered so. */
  answer(method: string, path: RegExp, status: number, body: object): void
  /** Ends all watches; the next one that goes on from where it stood is told that this is forgotten. */
  forget(): void
  /** No pod finds a node from now on, for that reason. */
  hold(reason: string): void
  /** Breaks all connections to programs. */
  breakOff(): void
  /** Judges what users and the broker itself may do from now on, by the spec of a review; until then all is allowed. */
  judge(by: (spec: Shape) => object): void
  /** Nothing is heard on any connection that is open or made, for good, as from a server that is lost; until `speak` for new ones. */
  silence(): void
  /** Programs print nothing more that is heard, as on a node that is lost; until `speak` for new ones. */
  freeze(): void
  speak(): void
  /** The watches that are open are told nothing any more, and do not end. */
  deafen(): void
  /** How many programs are connected to. */
  readonly connected: number
  /** Takes a pod away at once, past the API. */
  takeAway(name: string): Promise<void>
  /** Everything that was asked, as `GET /path`. */
  readonly asked: readonly string[]
  /** The queries of all lists and watches. */
  readonly listed: readonly string[]
  stop(): Promise<void>
}

export interface Shape {
  [name: string]: unknown
}

interface Container {
  readonly name: string
  readonly image: string
  readonly command: readonly string[]
  readonly volumeMounts: readonly {
    readonly name: string
    readonly mountPath: string
    readonly subPath?: string
    readonly readOnly?: boolean
  }[]
}

export interface PretendedPod {
  object: Shape & { metadata: Shape; spec: Shape; status: Shape }
  readonly folder: string
  readonly processes: Map<string, ChildProcess>
}

/** The root folder of an image by the name that a pod gives it. */
export type Roots = (image: string) => string | undefined

export async function startPretendedCluster(
  roots: Roots,
  namespaces: readonly string[] = [],
): Promise<PretendedCluster> {
  const pods = new Map<string, PretendedPod>()
  const watches = new Set<ServerResponse>()
  const connections = new Set<Duplex>()
  const asked: string[] = []
  const listed: string[] = []
  const answers: { method: string; path: RegExp; status: number; body: object }[] = []
  const events: { version: number; line: string }[] = []
  let version = 1
  let forgotten = 0
  let held: string | undefined
  let judgement: (spec: Shape) => object = () => ({ allowed: true })
  let mute: Mute | undefined
  const muted = new Map<Duplex, Mute>()
  const objects = pretendObjects(namespaces, (namespace) => {
    for (const pod of pods.values())
      if (pod.object.metadata['namespace'] === namespace) remove(pod, true).catch(() => undefined)
  })

  const changed = (type: string, pod: PretendedPod): void => {
    pod.object.metadata['resourceVersion'] = String(++version)
    const line = `${JSON.stringify({ type, object: pod.object })}\n`
    events.push({ version, line })
    for (const watch of watches) watch.write(line)
  }
  const statusOf = (pod: PretendedPod, phase: string, states: Readonly<Record<string, object>>): void => {
    const rows = (list: unknown): object[] =>
      (list as readonly Container[]).map(({ name }) => ({ name, state: states[name] ?? { waiting: {} } }))
    pod.object.status = {
      phase,
      initContainerStatuses: rows(pod.object.spec['initContainers']),
      containerStatuses: rows(pod.object.spec['containers']),
    }
    if (pods.has(String(pod.object.metadata['name']))) changed('MODIFIED', pod)
  }

  async function run(pod: PretendedPod): Promise<void> {
    if (held !== undefined) {
      const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: held }
      pod.object.status = { phase: 'Pending', conditions: [condition] }
      return changed('MODIFIED', pod)
    }
    const states: Record<string, object> = {}
    for (const container of pod.object.spec['initContainers'] as readonly Container[]) {
      const process = startContainer(pod, container, roots)
      if (process === undefined) return statusOf(pod, 'Pending', { [container.name]: unpulled(container) })
      const exitCode = await new Promise((resolve) => process.once('exit', resolve))
      states[container.name] = { terminated: { exitCode } }
    }
    for (const container of pod.object.spec['containers'] as readonly Container[]) {
      const process = startContainer(pod, container, roots)
      states[container.name] = process === undefined ? unpulled(container) : { running: {} }
      process?.once('exit', (exitCode) => {
        states[container.name] = { terminated: { exitCode, reason: 'Error' } }
        statusOf(pod, 'Failed', states)
      })
    }
    statusOf(pod, 'Running', states)
  }

  function create(text: string, namespace: string): { status: number; body: object } {
    const object = JSON.parse(text) as PretendedPod['object']
    const name = String(object.metadata['name'])
    if (pods.has(name))
      return { status: 409, body: { kind: 'Status', reason: 'AlreadyExists', message: name } }
    object.metadata['namespace'] = namespace
    object.metadata['uid'] = randomUUID()
    object.metadata['creationTimestamp'] = new Date().toISOString()
    object.status = { phase: 'Pending' }
    const pod: PretendedPod = { object, folder: freshFolder('pod'), processes: new Map() }
    pods.set(name, pod)
    changed('ADDED', pod)
    run(pod).catch((error: unknown) => {
      throw error
    })
    return { status: 201, body: object }
  }

  function patch(pod: PretendedPod, text: string): { status: number; body: object } {
    const { metadata } = JSON.parse(text) as { metadata: Shape }
    if (
      (metadata['resourceVersion'] ?? pod.object.metadata['resourceVersion']) !==
      pod.object.metadata['resourceVersion']
    )
      return {
        status: 409,
        body: { kind: 'Status', reason: 'Conflict', message: 'the object has been modified' },
      }
    const annotations = {
      ...(pod.object.metadata['annotations'] as Shape),
      ...(metadata['annotations'] as Shape),
    }
    pod.object.metadata['annotations'] = Object.fromEntries(
      Object.entries(annotations).filter(([, value]) => value !== null),
    )
    changed('MODIFIED', pod)
    return { status: 200, body: pod.object }
  }

  async function remove(pod: PretendedPod, atOnce: boolean): Promise<void> {
    const name = String(pod.object.metadata['name'])
    if (atOnce && pods.delete(name)) {
      changed('DELETED', pod)
      return await endPod(pod)
    }
    if (pod.object.metadata['deletionTimestamp'] !== undefined) return
    pod.object.metadata['deletionTimestamp'] = new Date().toISOString()
    changed('MODIFIED', pod)
    await endPod(pod)
    pods.delete(name)
    changed('DELETED', pod)
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://cluster')
    asked.push(`${request.method} ${url.pathname}`)
    if (mute === 'server') return
    const say = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    let text = ''
    for await (const piece of request) text += piece
    const planned = answers.findIndex(
      ({ method, path }) => method === request.method && path.test(url.pathname),
    )
    const [plan] = planned < 0 ? [] : answers.splice(planned, 1)
    if (plan !== undefined) return say(plan.status, plan.body)
    if (url.pathname.startsWith('/apis/authorization.k8s.io/v1/')) {
      const { spec } = JSON.parse(text) as { spec: Shape }
      return say(201, { status: judgement(spec) })
    }
    const [, , , , namespace = '', , name] = url.pathname.split('/')
    const said = objects.answer(request.method ?? '', url, text)
    if (said !== undefined) return say(said.status, said.body)
    if (name === undefined && request.method === 'POST') {
      const { status, body } = create(text, namespace)
      return say(status, body)
    }
    if (name === undefined) listed.push(url.search)
    if (name === undefined && url.searchParams.get('watch')) {
      if (Number(url.searchParams.get('resourceVersion')) < forgotten) {
        const object = { kind: 'Status', code: 410, reason: 'Expired' }
        response.writeHead(200).end(`${JSON.stringify({ type: 'ERROR', object })}\n`)
        return
      }
      response.writeHead(200)
      response.flushHeaders()
      const from = Number(url.searchParams.get('resourceVersion'))
      for (const event of events) if (event.version > from) response.write(event.line)
      watches.add(response)
      response.once('close', () => watches.delete(response))
      return
    }
    if (name === undefined) {
      const [key = '', value = ''] = (url.searchParams.get('labelSelector') ?? '').split('=')
      const items = [...pods.values()]
        .map(({ object }) => object)
        .filter(({ metadata }) => (metadata['labels'] as Shape)[key] === value)
      return say(200, { metadata: { resourceVersion: String(version) }, items })
    }
    const pod = pods.get(name)
    if (pod === undefined)
      return say(404, { kind: 'Status', reason: 'NotFound', message: `pods "${name}" not found` })
    if (request.method === 'PATCH') {
      const { status, body } = patch(pod, text)
      return say(status, body)
    }
    if (request.method === 'DELETE')
      remove(pod, text.includes('"gracePeriodSeconds":0')).catch(() => undefined)
    say(200, pod.object)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.writeHead(500).end(error.message))
  })
  server.on('upgrade', (request: IncomingMessage, socket: Duplex) => {
    const url = new URL(request.url ?? '', 'http://cluster')
    asked.push(`EXEC ${url.pathname}`)
    if (mute === 'server') return
    const pod = pods.get(url.pathname.split('/')[6] ?? '')
    const process = pod?.processes.get(url.searchParams.get('container') ?? '')
    const inner = process?.pid === undefined ? undefined : innerPid(process.pid)
    if (inner === undefined) {
      socket.end('HTTP/1.1 404 Not Found\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
      return
    }
    connections.add(socket)
    if (mute !== undefined) muted.set(socket, mute)
    socket.once('close', () => connections.delete(socket))
    socket.once('end', () => socket.end())
    socket.on('error', () => undefined)
    execInside(socket, {
      key: String(request.headers['sec-websocket-key']),
      inner,
      argv: url.searchParams.getAll('command'),
      mute: () => muted.get(socket),
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const beMute = (how: Mute): void => {
    mute = how
    for (const socket of connections) muted.set(socket, how)
  }
  return {
    get connected() {
      return connections.size
    },
    silence: () => {
      beMute('server')
      watches.clear()
    },
    deafen: () => watches.clear(),
    freeze: () => beMute('node'),
    speak: () => {
      mute = undefined
    },
    takeAway: async (name) => {
      const pod = pods.get(name)
      if (pod !== undefined) await remove(pod, true)
    },
    server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    pods,
    objects,
    asked,
    listed,
    answer: (method, path, status, body) => {
      answers.push({ method, path, status, body })
    },
    forget: () => {
      forgotten = ++version
      for (const watch of watches) watch.end()
      watches.clear()
    },
    judge: (by) => {
      judgement = by
    },
    hold: (reason) => {
      held = reason
    },
    breakOff: () => {
      for (const socket of connections) socket.destroy()
    },
    stop: async () => {
      for (const pod of pods.values()) await endPod(pod)
      server.closeAllConnections()
      for (const socket of connections) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function unpulled({ image }: Container): object {
  return { waiting: { reason: 'ImagePullBackOff', message: `Back-off pulling image "${image}"` } }
}

/** Its mounts are those of its own namespace, so that they are gone with it. */
function startContainer(pod: PretendedPod, container: Container, roots: Roots): ChildProcess | undefined {
  const from = roots(container.image)
  if (from === undefined) return undefined
  const root = join(pod.folder, `root-${container.name}`)
  cpSync(from, root, { recursive: true, verbatimSymlinks: true })
  for (const name of ['proc', 'dev', 'sys', 'tmp']) mkdirSync(join(root, name), { recursive: true })
  const lines = ['set -e', 'mount --make-rprivate /', `mount --bind ${root} ${root}`]
  for (const { name, mountPath, subPath = '', readOnly } of container.volumeMounts) {
    const source = join(pod.folder, 'volumes', name, subPath)
    const target = join(root, mountPath)
    if (subPath === '') mkdirSync(source, { recursive: true })
    if (readdirSync(dirname(source)).length > 0 && isFile(source)) {
      mkdirSync(dirname(target), { recursive: true })
      writeFileSync(target, '', { flag: 'a' })
    } else mkdirSync(target, { recursive: true })
    lines.push(`mount --bind '${source}' '${target}'`)
    if (readOnly) lines.push(`mount -o remount,bind,ro '${target}'`)
  }
  for (const name of ['null', 'zero', 'urandom'])
    lines.push(`touch ${root}/dev/${name}`, `mount --bind /dev/${name} ${root}/dev/${name}`)
  lines.push(`mount -t proc proc ${root}/proc`, `exec chroot ${root} "$@"`)
  const words = [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    'sh',
    '-c',
    lines.join('\n'),
    'sh',
    ...container.command,
  ]
  const process = spawn('unshare', words, { stdio: 'ignore', env: { PATH: globalThis.process.env['PATH'] } })
  pod.processes.set(container.name, process)
  return process
}

function isFile(path: string): boolean {
  return existsSync(path) && spawnSync('test', ['-f', path]).status === 0
}

function innerPid(outer: number): number | undefined {
  const found = spawnSync('pgrep', ['-P', String(outer)], { encoding: 'utf8' }).stdout.trim()
  return found === '' ? undefined : Number(found.split('\n')[0])
}

async function endPod(pod: PretendedPod): Promise<void> {
  for (const process of pod.processes.values()) {
    if (process.exitCode !== null || process.signalCode !== null) continue
    const gone = new Promise((resolve) => process.once('exit', resolve))
    process.kill('SIGKILL')
    await gone
  }
  rmSync(pod.folder, { recursive: true, force: true })
}

/** The part of the cluster that says nothing any more: the API server on all connections, or the node on those to its programs. */
type Mute = 'server' | 'node'

interface ExecOrder {
  mute(): Mute | undefined
  readonly key: string
  readonly inner: number
  readonly argv: readonly string[]
}

/** Speaks the server's side of a WebSocket, as far as the engine's client does. */
function execInside(socket: Duplex, { key, inner, argv, mute }: ExecOrder): void {
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: ${accept}\r\nsec-websocket-protocol: v4.channel.k8s.io\r\n\r\n`,
  )
  const child = spawn(
    'nsenter',
    ['-t', String(inner), '-m', '-p', `--root=/proc/${inner}/root`, '--wd=/', '--', ...argv],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  )
  child.stdin.on('error', () => undefined)
  const send = (channel: number, bytes: Buffer): void => {
    if (mute() !== undefined) return
    const body = Buffer.concat([Buffer.from([channel]), bytes])
    const head = Buffer.alloc(10)
    head[0] = 0x82
    head[1] = 127
    head.writeBigUInt64BE(BigInt(body.length), 2)
    const isTaken = socket.write(Buffer.concat([head, body]))
    if (isTaken || channel !== 1) return
    child.stdout.pause()
    socket.once('drain', () => child.stdout.resume())
  }
  child.stdout.on('data', (bytes: Buffer) => send(1, bytes))
  child.stderr.on('data', (bytes: Buffer) => send(2, bytes))
  child.once('close', (exit) => {
    const causes = [{ reason: 'ExitCode', message: String(exit ?? 137) }]
    const failure = { status: 'Failure', reason: 'NonZeroExitCode', details: { causes } }
    send(3, Buffer.from(JSON.stringify(exit === 0 ? { status: 'Success' } : failure)))
    if (mute() === undefined) socket.end()
  })
  let rest: Buffer = Buffer.alloc(0)
  socket.on('data', (piece: Buffer) => {
    rest = Buffer.concat([rest, piece])
    for (;;) {
      const mark = (rest[1] ?? 0) & 0x7f
      const start = 2 + ({ 126: 2, 127: 8 }[mark] ?? 0)
      if (rest.length < start + 4) return
      let length = mark
      if (mark === 126) length = rest.readUInt16BE(2)
      if (mark === 127) length = Number(rest.readBigUInt64BE(2))
      const end = start + 4 + length
      if (rest.length < end) return
      const mask = rest.subarray(start, start + 4)
      const body = Buffer.from(rest.subarray(start + 4, end)).map((byte, i) => byte ^ (mask[i & 3] ?? 0))
      if (rest[0] === 0x89 && mute() !== 'server') socket.write(Buffer.from([0x8a, 0]))
      if ((rest[0] ?? 0) === 0x82 && body[0] === 0) child.stdin.write(body.subarray(1))
      rest = rest.subarray(end)
    }
  })
  socket.once('close', () => child.stdin.end())
}
