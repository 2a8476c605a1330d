/** The cluster that says whose tokens of service accounts are and what its users may do: that of the settings, else the one this host is in. */
import { checkReviewRight, openAccessReviews, openSecrets, openTokenReviews } from '../engines/index.ts'
import type { Clock } from '../kit/clock.ts'
import { present } from '../kit/present.ts'
import type { Problem } from '../model/problem.ts'
import type { Settings } from '../settings/settings.ts'

type Place = Settings['kubernetes']

/** How long it may take. */
const withinMs = 10_000

function placeOf({ kubeconfig, context }: Place, clock: Clock) {
  return present({ kubeconfig, context, clock, environment: process.env })
}

/** Whose a token is; the cluster is looked for when it is first asked. */
export function reviewsOf(place: Place, clock: Clock) {
  const review = openTokenReviews(placeOf(place, clock))
  return (token: string, audiences: readonly string[]) =>
    review(token, audiences, AbortSignal.timeout(withinMs))
}

/** What a user may do; the cluster is looked for when it is first asked. */
export function accessReviewsOf(place: Place, clock: Clock) {
  const review = openAccessReviews(placeOf(place, clock))
  return (question: Parameters<typeof review>[0]) => review(question, AbortSignal.timeout(withinMs))
}

/** Why the cluster cannot be asked what its users may do, if so. */
export function checkAccessReviews(place: Place, clock: Clock): Promise<readonly Problem[]> {
  return checkReviewRight(placeOf(place, clock), AbortSignal.timeout(withinMs))
}

/** Secrets of bindings; the cluster is looked for when it is first asked. */
export function secretsOf(place: Place, clock: Clock) {
  return openSecrets(placeOf(place, clock))
}
