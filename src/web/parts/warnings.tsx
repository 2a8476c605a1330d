/** What the author of a package should mend: each with its place and what to do. */
import type { Problem } from '../../api/problem.ts'
import { t } from '../texts.ts'
import { WhatAndWhere } from './problem.tsx'

/** More of them are folded, so that what the package offers is not pushed out of sight. */
const shownAtOnce = 5

export function Warnings({ warnings }: { readonly warnings: readonly Problem[] }) {
  if (warnings.length === 0) return null
  const [first, rest] = [warnings.slice(0, shownAtOnce), warnings.slice(shownAtOnce)]
  return (
    <>
      <h2>{t('package.warnings')}</h2>
      <p class="quiet">{t('package.warningsHint')}</p>
      <WarningList warnings={first} />
      {rest.length === 0 ? null : (
        <details>
          <summary>{t('package.moreWarnings', { n: rest.length })}</summary>
          <WarningList warnings={rest} />
        </details>
      )}
    </>
  )
}

function WarningList({ warnings }: { readonly warnings: readonly Problem[] }) {
  return (
    <ul class="warnings">
      {warnings.map((one, i) => (
        <li key={`${one.code} ${i}`}>
          <WhatAndWhere of={one} />
          {one.hint === undefined ? null : <span class="below">{one.hint}</span>}
        </li>
      ))}
    </ul>
  )
}
