/** Ends the stream of a reader that may not read it any more: the account, token, session or role of its request has gone. */
import type { FastifyRequest } from 'fastify'
import { toProblem } from '../../model/problem.ts'
import { statusOf } from '../answer.ts'
import type { Account } from '../authenticate.ts'
import { authorize } from './authorize.ts'
import { mannerOf } from './manner.ts'
import type { OperatorPorts } from './ports.ts'
import type { Route } from './route.ts'

const everyMs = 10_000

interface Stream {
  readonly route: Route
  readonly request: FastifyRequest
  /** Fires when the stream has ended. */
  readonly signal: AbortSignal
  /** Lets it end; its reader is told to ask anew. */
  end(): void
}

/** Looks again and again until the stream has ended. */
export async function watchRights(ports: OperatorPorts, stream: Stream): Promise<void> {
  const { signal } = stream
  while (!signal.aborted) {
    await ports.broker.clock.sleep(everyMs, signal)
    if (!signal.aborted && !(await mayStill(ports, stream))) stream.end()
  }
}

async function mayStill(ports: OperatorPorts, { route, request }: Stream): Promise<boolean> {
  try {
    const { access } = await callerNow(ports, request)
    const { tenants: rules = [] } = ports.broker.policy()
    await authorize(ports.broker.store.look, route, { access, request, rules })
    return true
  } catch (error) {
    const status = statusOf(toProblem(error))
    // A store that is away says nothing of rights.
    return status !== 401 && status !== 403 && status !== 404
  }
}

async function callerNow(ports: OperatorPorts, { headers, raw }: FastifyRequest): Promise<Account> {
  const { sessions, admission } = ports
  const session =
    headers.authorization === undefined ? await sessions.find(raw, mannerOf(ports, raw)) : undefined
  return session?.account ?? (await admission.again(raw, 'operator'))
}
