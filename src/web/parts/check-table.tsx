/** What was looked at of a broker, how it is, what was seen, and what to do about it. */
import { t } from '../texts.ts'
import { Shape } from './state.tsx'

const tones = { ok: 'good', bad: 'bad', warn: 'wait', fail: 'bad', skip: 'quiet' } as const

export interface Check {
  readonly name: string
  readonly state: keyof typeof tones
  readonly detail: string
  readonly hint?: string
}

export function CheckTable({ checks }: { readonly checks: readonly Check[] }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('nodes.check')}</th>
          <th scope="col">{t('list.state')}</th>
          <th scope="col">{t('nodes.detail')}</th>
        </tr>
      </thead>
      <tbody>
        {checks.map(({ name, state, detail, hint }) => (
          <tr key={`${name} ${detail}`}>
            <th scope="row">{name}</th>
            <td>
              <span class={`state ${tones[state]}`}>
                <Shape tone={tones[state]} />
                {t(`nodes.${state}`)}
              </span>
            </td>
            <td>
              {detail}
              {hint === undefined ? null : <span class="below">{hint}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
