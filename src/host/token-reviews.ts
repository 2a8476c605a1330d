/** The cluster that says whose tokens of service accounts are: that of the settings, else the one this host is in. */
import { openTokenReviews } from '../engines/index.ts'
import type { Clock } from '../kit/clock.ts'
import { present } from '../kit/present.ts'
import type { Settings } from '../settings/settings.ts'

/** How long it may take. */
const withinMs = 10_000

/** It is looked for when it is first asked. */
export function reviewsOf({ kubeconfig, context }: Settings['kubernetes'], clock: Clock) {
  const review = openTokenReviews(present({ kubeconfig, context, clock, environment: process.env }))
  return (token: string, audiences: readonly string[]) =>
    review(token, audiences, AbortSignal.timeout(withinMs))
}
