/** Another host for tests of networks, at the end of a cable, and one that listens here. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { networkInterfaces } from 'node:os'
import { threadId } from 'node:worker_threads'

export interface OtherHost {
  /** This host's side of the cable, and the other. */
  readonly ours: string
  readonly theirs: string
  readonly port: number
  end(): void
}

/** Several processes, and threads of one, may lay cables at once. */
const block = ((process.pid + threadId) % 64) * 4
const own = `${process.pid.toString(36)}-${threadId.toString(36)}`
const ours = `203.0.113.${block + 1}`
const theirs = `203.0.113.${block + 2}`
const cable = `cht-${own}`
const far = `chf-${own}`

/** A host at the end of a cable, with one server that says hello. */
export async function anotherHost(): Promise<OtherHost> {
  const port = 7007
  const script = `require('node:net').createServer((s) => s.end('hello\\n')).listen(${port}, () => console.log('up'))`
  const child = spawn('unshare', ['--net', process.execPath, '-e', `setTimeout(() => {${script}}, 500)`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ip = (...args: readonly string[]) => execFileSync('ip', args)
  ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', far)
  ip('link', 'set', far, 'netns', String(child.pid))
  ip('addr', 'add', `${ours}/30`, 'dev', cable)
  ip('link', 'set', cable, 'up')
  const inside = ['--target', String(child.pid), '--net', 'ip']
  execFileSync('nsenter', [...inside, 'addr', 'add', `${theirs}/30`, 'dev', far])
  execFileSync('nsenter', [...inside, 'link', 'set', far, 'up'])
  await once(child.stdout, 'data')
  return {
    ours,
    theirs,
    port,
    end: () => {
      child.kill('SIGKILL')
      // The other end may have taken it along.
      spawnSync('ip', ['link', 'delete', cable])
    },
  }
}

/** A line that tells address and port where it finds a hello. */
export const call = (address: string, port: number): string =>
  `nc -w 2 ${address} ${port} </dev/null 2>/dev/null | grep -q hello && echo ${address} ${port}`

/** Every address of this host that is of version 4. */
export const addressesOfHost = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((all = []) =>
    all.flatMap(({ family, address }) => (family === 'IPv4' ? address : [])),
  )
