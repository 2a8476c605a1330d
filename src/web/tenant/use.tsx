/** How much there is of what there may be: in numbers, as a bar, and in a word where it is nearly or fully used. */
import { Shape } from '../parts/state.tsx'
import { type TextKey, t } from '../texts.ts'

interface Props {
  readonly used: number
  /** Absent: as many as one likes. */
  readonly most: number | undefined
}

/** From this part on a word says that little is left. */
const nearly = 0.9

export function Use({ used, most }: Props) {
  if (most === undefined) return <>{used}</>
  const share = most === 0 ? 1 : Math.min(1, used / most)
  const { tone, word } = standing(used, most)
  return (
    <span class={`use ${tone}`}>
      {t('tenants.ofQuota', { used, most })}
      <svg class="gauge" viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect width={100 * share} height="6" />
      </svg>
      {word === undefined ? null : (
        <span class={`state ${tone}`}>
          <Shape tone={tone} />
          {t(word)}
        </span>
      )}
    </span>
  )
}

interface Standing {
  readonly tone: 'quiet' | 'wait' | 'bad'
  readonly word?: TextKey
}

function standing(used: number, most: number): Standing {
  if (used > most) return { tone: 'bad', word: 'tenants.over' }
  if (used === most) return { tone: 'wait', word: most === 0 ? 'tenants.none' : 'tenants.full' }
  return used >= most * nearly ? { tone: 'wait', word: 'tenants.nearly' } : { tone: 'quiet' }
}
