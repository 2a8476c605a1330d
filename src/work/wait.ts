/** Waits for an operation to end: by the bell, and by looking once a second in case a hint was lost. */
import { enough } from '../kit/enough.ts'
import { hasEnded, type Operation } from '../model/operation.ts'
import type { Tools } from './tools.ts'

/** The operation as it is when it has ended or the signal fires. */
export async function waitForEnd(
  { ports, bell }: Pick<Tools, 'ports' | 'bell'>,
  id: string,
  signal: AbortSignal,
): Promise<Operation | undefined> {
  for (;;) {
    const nap = new AbortController()
    const rung = bell.wait(id, AbortSignal.any([signal, nap.signal]))
    const operation = await ports.store.look.operation(id)
    if (operation === undefined || hasEnded(operation.state) || signal.aborted) {
      nap.abort(enough)
      return operation
    }
    await Promise.race([rung, ports.clock.sleep(1000, AbortSignal.any([signal, nap.signal]))])
    nap.abort(enough)
  }
}
