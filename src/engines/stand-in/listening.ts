/** Where the API listens: on an address that runs reach, at the port that clients expect where that is to be had. */
import { randomInt } from 'node:crypto'
import type { Clock } from '../../kit/clock.ts'
import { sha256 } from '../../kit/hash.ts'
import { fail } from '../../model/problem.ts'
import { type ApiServer, serveApi } from './server.ts'
import type { Place } from './session.ts'
import type { SessionFiles } from './session-files.ts'

/** What clients use that are not told another one. */
const usualPort = 443
const lowestFree = 20_000
const triesMax = 20

/**
 * A loopback address of this folder's own: brokers and commands of one machine do not take the usual port from one another,
 * and one that comes back finds it free.
 */
export function loopbackOf(folder: string): string {
  const [a = 0, b = 0, c = 0] = Buffer.from(sha256(folder), 'hex')
  return `127.${64 + (a % 64)}.${b}.${1 + (c % 254)}`
}

type Served = 'new' | 'served' | 'taken' | 'absent'

/** The servers of this process: for runs of earlier ones where they were told to look, and one place for new runs. */
export class Listening {
  readonly #files: SessionFiles
  readonly #clock: Clock
  readonly #servers = new Map<string, ApiServer>()
  readonly #places = new Map<string, Promise<Place>>()

  constructor(files: SessionFiles, clock: Clock) {
    this.#files = files
    this.#clock = clock
  }

  /** A place for new runs. */
  async place(address: string): Promise<Place> {
    const known = this.#places.get(address)
    if (known !== undefined) return known
    const opening = this.#open(address)
    this.#places.set(address, opening)
    const place = await opening
    // An address that comes only with the first container of its network gets another try with the next run.
    if (!this.#servers.has(nameOf(place))) this.#places.delete(address)
    return place
  }

  /**
   * Serves where a run was told to look, if that is to be had; answers whether it is new to this process.
   * A port that is taken is served by another process on the same folder.
   */
  async serve(place: Place): Promise<boolean> {
    return (await this.#serve(place)) === 'new'
  }

  async close(): Promise<void> {
    await Promise.all(this.#places.values())
    await Promise.all([...this.#servers.values()].map((server) => server.close()))
  }

  async #open(address: string): Promise<Place> {
    for (let i = 0; i < triesMax; i++) {
      const place = { address, port: i === 0 ? usualPort : lowestFree + randomInt(lowestFree) }
      const served = await this.#serve(place)
      if (served === 'absent') return { address, port: lowestFree + randomInt(lowestFree) }
      if (served !== 'taken') return place
    }
    return fail('engine.unavailable', `no port is free at ${address} for the stand-in of the Kubernetes API`)
  }

  async #serve(place: Place): Promise<Served> {
    const name = nameOf(place)
    if (this.#servers.has(name)) return 'served'
    try {
      const { address: host, port } = place
      this.#servers.set(name, await serveApi(this.#files, this.#clock, { host, port }))
      return 'new'
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Ports below 1024 are for root.
      if (code === 'EADDRINUSE' || code === 'EACCES') return 'taken'
      if (code === 'EADDRNOTAVAIL') return 'absent'
      throw error
    }
  }
}

function nameOf({ address, port }: Place): string {
  return `${address}:${port}`
}
