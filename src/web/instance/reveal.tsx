/** Credentials: nowhere in the page until they are asked for, there for a minute, copied in the forms applications read. */
import { useEffect, useState } from 'preact/hooks'
import type { Binding, Credentials } from '../../api/binding.ts'
import type { InstanceDetail } from '../../api/instance.ts'
import {
  type CredentialFormat,
  credentialFormats,
  formatCredentials,
} from '../../model/credential-formats.ts'
import { calls } from '../calls.ts'
import { Command, CopyButton } from '../parts/copy.tsx'
import { ProblemNote } from '../parts/problem.tsx'
import { type Answered, send } from '../send.ts'
import { t } from '../texts.ts'

const shownSeconds = 60

const names: Readonly<Record<CredentialFormat, string>> = {
  json: 'JSON',
  dotenv: 'dotenv',
  vcap: 'VCAP_SERVICES',
  files: 'Service Binding',
}

interface Props {
  readonly binding: Binding
  readonly detail: InstanceDetail
}

export function Reveal({ binding, detail }: Props) {
  const [answered, setAnswered] = useState<Answered<Credentials>>()
  const [left, setLeft] = useState(0)
  useEffect(() => {
    if (answered?.kind !== 'done') return
    if (left === 0) {
      setAnswered(undefined)
      return
    }
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [answered, left])
  const { platform, instance, id } = binding
  const reveal = async (): Promise<void> => {
    setLeft(shownSeconds)
    setAnswered(await send(calls.credentials, { path: { platform, instance, binding: id } }))
  }
  if (answered?.kind === 'done')
    return (
      <>
        <Shown credentials={answered.value} binding={binding} detail={detail} />
        <p class="quiet small">
          {t('binding.hidesIn', { n: left })}{' '}
          <button type="button" class="small" onClick={() => setAnswered(undefined)}>
            {t('binding.hide')}
          </button>
        </p>
      </>
    )
  return (
    <>
      {answered?.kind === 'refused' ? <ProblemNote problem={answered.problem} /> : null}
      <p>
        <button type="button" onClick={() => void reveal()}>
          {t('binding.reveal')}
        </button>{' '}
        <span class="quiet small">{t('binding.revealLead')}</span>
      </p>
    </>
  )
}

interface ShownProps extends Props {
  readonly credentials: Credentials
}

function Shown({ credentials: answer, binding, detail }: ShownProps) {
  const { credentials = {}, ...others } = answer
  const bound = {
    binding: binding.id,
    instance: detail.id,
    instanceName: detail.name,
    service: detail.service.name ?? detail.service.id,
    plan: detail.plan.name ?? detail.plan.id,
    credentials,
  }
  const command = ['chandler', 'binding', 'show', detail.id, binding.id, '--credentials']
  return (
    <>
      <dl class="facts secret">
        {Object.entries({ ...credentials, ...others }).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>
            </dd>
          </div>
        ))}
      </dl>
      <div class="acts">
        <span class="quiet">{t('binding.copyAs')}</span>
        {credentialFormats.map((format) => (
          <CopyButton key={format} label={names[format]} text={formatCredentials(format, bound)} />
        ))}
      </div>
      <Command words={[...command, '--platform', binding.platform, '--as', 'dotenv']} />
    </>
  )
}
