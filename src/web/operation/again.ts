/** What failed and is ordered once more with other inputs: the address of a form names it, and the form begins with what it had. */
import type { Ordered } from '../../api/instance.ts'
import type { Operation } from '../../api/operation.ts'
import type { Problem } from '../../api/problem.ts'
import type { JsonObject } from '../../kit/json.ts'
import { calls } from '../calls.ts'
import { useLoaded } from '../load.ts'
import { address } from '../router.ts'
import { type Answered, send } from '../send.ts'

interface Failed {
  /** It is named, and not here yet. */
  readonly isOpen: boolean
  readonly operation: Operation | undefined
  readonly problem: Problem | undefined
  readonly reload: () => void
}

/** The operation that the address names under `again`. */
export function useFailed(): Failed {
  const id = address.value.query.get('again') ?? ''
  const { value, problem, reload } = useLoaded<Operation | undefined>(`again ${id}`, async (manner) => {
    if (id === '') return { kind: 'done', value: undefined }
    return await send(calls.operation, { path: { operation: id }, ...manner })
  })
  return { isOpen: id !== '' && value === undefined, operation: value, problem, reload }
}

/** Orders it with these parameters. */
export function retryWith(
  operation: string,
  parameters: JsonObject,
  idempotencyKey: string,
): Promise<Answered<Ordered>> {
  return send(calls.retry, { path: { operation }, body: { parameters }, idempotencyKey })
}
