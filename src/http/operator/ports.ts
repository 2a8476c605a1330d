/** What the operator API needs from outside: the broker's ports, the gate, keys, backup, figures and logs. */
import type { IncomingMessage } from 'node:http'
import type { Keys } from '../../api/cluster.ts'
import type { Examination } from '../../api/findings.ts'
import type { Ports } from '../../broker/ports.ts'
import type { SandboxReading } from '../../broker/sandbox.ts'
import type { SandboxPackage } from '../../model/sandbox.ts'
import type { Admission } from '../admit.ts'
import type { Gate } from '../authenticate.ts'
import type { BodyLimits } from '../body-limits.ts'
import type { HealthCheck } from '../health.ts'
import type { Observe } from '../observe.ts'
import type { Oidc } from '../oidc/oidc.ts'
import type { Sessions } from '../sessions.ts'

export interface OperatorPorts {
  readonly broker: Ports
  readonly version: string
  readonly gate: Pick<Gate, 'claimed' | 'named' | 'roles'>
  readonly admission: Pick<Admission, 'admit' | 'again' | 'confirm' | 'prove'>
  readonly oidc: Oidc
  readonly bodyLimits: BodyLimits
  readonly sessions: Sessions & {
    /** Ends a session early, on every node. */
    end(id: string): Promise<void>
  }
  /** What stands before every path where browsers know the broker. */
  readonly pathPrefix: string
  /** Whether a request came encrypted, to this process or to a proxy in front of it that is trusted. */
  isEncrypted(request: IncomingMessage): boolean
  /** The address at the other end of the connection. */
  source(request: IncomingMessage): string
  readonly keys: {
    status(): Promise<Keys>
    /** Adds a key that opens only; the same seed adds one key. */
    add(seed: string): Promise<Keys>
    /** Makes a key the one that seals; what is sealed follows in the background. */
    activate(id: string): Promise<Keys>
    /** Takes a key off the ring, if nothing is sealed with it. */
    remove(id: string): Promise<Keys>
    /** Makes a fresh key the active one, the same for the same seed; what is sealed follows in the background. */
    rotate(seed: string): Promise<Keys>
  }
  /** Writes a consistent copy of the store into the data folder; answers its path, that of before for the same seed. */
  backup(seed: string): Promise<string>
  /** A support bundle: what was ordered so long ago or later, and all of one operation. Problems: operation.unknown. */
  support(wish: { readonly sinceMs: number; readonly operation?: string }): Promise<Uint8Array>
  /** What this process sees of itself and of its engines. */
  health(): Promise<readonly HealthCheck[]>
  /** What it finds wrong with itself and around it; what was found a moment ago is found again. */
  examine(): Promise<Examination>
  readonly observe: Observe
  /** Names of the engines that tenants may be given. */
  readonly engines: readonly string[]
  readonly sandbox: {
    /** Reads a package before it is offered to a tenant. Problems: reference.invalid, those of reading. */
    read(one: SandboxPackage, registries: readonly string[], signal: AbortSignal): Promise<SandboxReading>
  }
  /** Takes over at once what was decided for tenants by command, and what is offered in them. */
  takeTenants(): Promise<void>
  /** Fires when the process is on its way out: followers are told to come back. */
  readonly leaving: AbortSignal
}
