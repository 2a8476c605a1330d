/** The head of what one step printed: its name, how long it took, and whether its lines are shown. */
import { Shape } from '../parts/state.tsx'
import { Lasting } from '../parts/time.tsx'
import { t } from '../texts.ts'
import type { Section } from './lines.ts'

interface Props {
  readonly section: Section | undefined
  /** When the next one began, or all ended. */
  readonly until: string | undefined
  readonly lines: number
  readonly isOpen: boolean
  readonly isBad: boolean
  readonly toggle: () => void
}

export function SectionHead({ section, until, lines, isOpen, isBad, toggle }: Props) {
  if (section === undefined) return null
  const { step, run, at } = section
  return (
    <button type="button" class="log-head" aria-expanded={isOpen} onClick={toggle}>
      <span class="log-fold" aria-hidden="true" />
      {isBad ? <Shape tone="bad" /> : null}
      <strong>{step}</strong>
      {run === 1 ? null : <span class="quiet">{t('log.run', { n: run })}</span>}
      {isBad ? <span class="bad">{t('state.failed')}</span> : null}
      <span class="quiet log-head-end">
        {t('log.lines', { n: lines })} · <Lasting from={at} to={until} />
      </span>
    </button>
  )
}
