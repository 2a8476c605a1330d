/** What a page shows of the broker: loaded, loaded again when something changed, and kept while that is under way. */
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
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

/** So long after a broker could not be reached it is asked again, for nothing need change at it when it is back. */
const againMs = 3000

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
  const asking = useRef(ask)
  asking.current = ask
  const load = useRef<(isRefresh: boolean) => Promise<void>>(undefined)
  const seen = changes.value
  const told = useRef(seen)
  // The question is on its way while the page is drawn.
  useLayoutEffect(() => {
    const left = new AbortController()
    let isBusy = false
    let isOld = false
    let again: ReturnType<typeof setTimeout> | undefined
    const loadNow = async (isRefresh: boolean): Promise<void> => {
      // What is asked already is waited for: where something changes all the time, nothing would arrive otherwise.
      isOld = isBusy
      if (isBusy) return
      isBusy = true
      clearTimeout(again)
      const answered = await asking.current({ isRefresh, signal: left.signal })
      isBusy = false
      if (left.signal.aborted) return
      if (answered.kind === 'done') setState({ key, value: answered.value, problem: undefined, status: 200 })
      else setState((old) => ({ ...old, key, problem: answered.problem, status: answered.status }))
      if (isOld) await loadNow(true)
      else if (answered.kind === 'refused' && answered.status === 0)
        again = setTimeout(() => void loadNow(true), againMs)
    }
    load.current = loadNow
    void loadNow(false)
    return () => {
      clearTimeout(again)
      left.abort()
    }
  }, [key, round])
  useEffect(() => {
    if (told.current !== seen) void load.current?.(true)
    told.current = seen
  }, [seen])
  const shown = state.key === key ? state : nothing<T>(key)
  return { ...shown, reload: () => setRound(round + 1) }
}

function nothing<T>(key: string): Omit<Loaded<T>, 'reload'> & { readonly key: string } {
  return { key, value: undefined, problem: undefined, status: 0 }
}
