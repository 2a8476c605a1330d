/** The fields of what is decided for a tenant; an empty one decides nothing. */
import type { Decision } from '../../model/tenant-decisions.ts'
import { t } from '../texts.ts'
import { type Filling, least } from './decisions.ts'

interface Props {
  readonly filling: Filling
  readonly set: (filling: Filling) => void
}

/** Choices by the decision that they are of. */
const choices = { network: ['default', 'none'], logs: ['tenant', 'operators'] } as const

export function DecisionFields({ filling, set }: Props) {
  const field = (decision: Decision) => ({
    value: filling[decision],
    set: (text: string) => set({ ...filling, [decision]: text }),
  })
  return (
    <div class="decisions">
      <label class="whole-line">
        {t('tenants.services')}
        <textarea
          rows={Math.min(8, filling.services.split('\n').length + 1)}
          value={filling.services}
          onInput={(event) => field('services').set(event.currentTarget.value)}
          aria-describedby="tenant-services"
          autocapitalize="none"
          spellcheck={false}
        />
        <span class="quiet small" id="tenant-services">
          {t('tenants.servicesWhat')}
        </span>
      </label>
      {(['instances', 'bindings', 'queued', 'ordersPerMinute'] as const).map((one) => (
        <label key={one}>
          {t(`tenants.${one}`)}
          <input
            type="number"
            min={least[one]}
            max={999_999_999}
            step={1}
            value={field(one).value}
            onInput={(event) => field(one).set(event.currentTarget.value)}
            placeholder={t('tenants.undecided')}
          />
        </label>
      ))}
      {(['network', 'logs'] as const).map((one) => (
        <label key={one}>
          {t(`tenants.${one}`)}
          <select value={field(one).value} onChange={(event) => field(one).set(event.currentTarget.value)}>
            <option value="">{t('tenants.undecided')}</option>
            {choices[one].map((choice) => (
              <option key={choice} value={choice}>
                {t(`tenants.${one}.${choice}` as `tenants.network.none`)}
              </option>
            ))}
          </select>
        </label>
      ))}
      <label>
        {t('tenants.engine')}
        <input
          value={field('engine').value}
          onInput={(event) => field('engine').set(event.currentTarget.value)}
          maxLength={100}
          placeholder={t('tenants.undecided')}
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
        />
      </label>
    </div>
  )
}
