/** An answer that takes a while to get, kept for a time and shared by all calls meanwhile; a failure is not kept. */
export function nowAndThen<T>(ask: () => Promise<T>, everyMs: number, now: () => number): () => Promise<T> {
  let kept: { readonly at: number; readonly answer: Promise<T> } | undefined
  return () => {
    const at = now()
    if (kept !== undefined && at - kept.at <= everyMs) return kept.answer
    const answer = ask()
    kept = { at, answer }
    answer.catch(() => {
      if (kept?.answer === answer) kept = undefined
    })
    return answer
  }
}
