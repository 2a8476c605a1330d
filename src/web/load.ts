/** What a page shows of the broker: loaded, loaded again when something changed, and kept while that is under way. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Problem } from '../api/problem.ts'
import type { Permission } from '../model/access.ts'
import { changes } from './live.ts'
import type { Answered } from './send.ts'
import { may } from './session.ts'

export interface Loaded<T> {
  /** The latest that arrived. */
  readonly value: T | undefined
  /** Why the latest attempt failed; the value of before is still there. */
  readonly problem: Problem | undefined
  readonly status: number
  reload(): void
}

/** Asks if the session has that permission; null without asking otherwise. */
export async function ifMay<T>(
  permission: Permission,
  ask: () => Promise<Answered<T>>,
): Promise<Answered<T | null>> {
  return may(permission) ? await ask() : { kind: 'done', value: null }
}

/**
 * Loads now, whenever the key changes, and whenever something changed at the broker.
 * `ask` is told whether a person is behind it.
 */
export function useLoaded<T>(
  key: string,
  ask: (manner: { readonly isRefresh: boolean; readonly signal: AbortSignal }) => Promise<Answered<T>>,
): Loaded<T> {
  const [state, setState] = useState<Omit<Loaded<T>, 'reload'> & { readonly key: string }>(nothing(key))
  const [round, setRound] = useState(0)
  const before = useRef('')
  const seen = changes.value
  useEffect(() => {
    const isRefresh = before.current === `${key} ${round}`
    before.current = `${key} ${round}`
    const left = new AbortController()
    const load = async (): Promise<void> => {
      const answered = await ask({ isRefresh, signal: left.signal })
      if (left.signal.aborted) return
      if (answered.kind === 'done') setState({ key, value: answered.value, problem: undefined, status: 200 })
      else setState((old) => ({ ...old, key, problem: answered.problem, status: answered.status }))
    }
    void load()
    return () => left.abort()
  }, [key, round, seen])
  const shown = state.key === key ? state : nothing<T>(key)
  return { ...shown, reload: () => setRound(round + 1) }
}

function nothing<T>(key: string): Omit<Loaded<T>, 'reload'> & { readonly key: string } {
  return { key, value: undefined, problem: undefined, status: 0 }
}
