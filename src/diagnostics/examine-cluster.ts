/** Whether the cluster that platforms' users are judged by can be asked, for doctor. */
import { checkAccessReviews } from '../host/cluster-reviews.ts'
import { systemClock } from '../kit/clock.ts'
import type { Settings } from '../settings/settings.ts'
import type { Seen } from './seen.ts'

/** Nothing where no account has its users judged. */
export async function examineCluster({ auth, kubernetes }: Settings): Promise<readonly Seen[]> {
  if (auth.users.every(({ accessReview }) => accessReview === undefined)) return []
  const problems = await checkAccessReviews(kubernetes, systemClock)
  return [{ id: 'access reviews', what: 'the cluster says what users may order', problems }]
}
