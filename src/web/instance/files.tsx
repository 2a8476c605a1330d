/** Files that the operations of an instance left: looked at as text, never as a page, or downloaded. */
import { useState } from 'preact/hooks'
import type { InstanceDetail, Output } from '../../api/instance.ts'
import { addressOf } from '../address-of.ts'
import { calls } from '../calls.ts'
import { useLoaded } from '../load.ts'
import { Command } from '../parts/copy.tsx'
import { NotYet } from '../parts/not-yet.tsx'
import { ProblemNote } from '../parts/problem.tsx'
import { reachable } from '../parts/reachable.ts'
import { type Answered, exchangeText, send } from '../send.ts'
import { may } from '../session.ts'
import { t } from '../texts.ts'

export function FilesTab({ detail: { platform, id: instance } }: { readonly detail: InstanceDetail }) {
  const list = useLoaded(`outputs ${platform} ${instance}`, (manner) =>
    send(calls.outputs, { path: { platform, instance }, ...manner }),
  )
  if (list.value === undefined) return <NotYet of={list} />
  if (list.value.items.length === 0) return <p class="calm">{t('instance.noFiles')}</p>
  return (
    <FileList
      files={list.value.items}
      link={(name) => addressOf(calls.output, { platform, instance, name })}
      command={(name) => ['chandler', 'instance', 'outputs', instance, name, '--platform', platform]}
    />
  )
}

interface ListProps {
  readonly files: readonly Output[]
  readonly link: (name: string) => string
  readonly command: (name: string) => readonly string[]
}

/** Of an instance, or what an action answered. */
export function FileList({ files, link, command }: ListProps) {
  return (
    <>
      {files.map((file) => (
        <FileCard key={file.name} file={file} link={link(file.name)} command={command(file.name)} />
      ))}
    </>
  )
}

interface CardProps {
  readonly file: Output
  readonly link: string
  readonly command: readonly string[]
}

/** What is longer is downloaded. */
const shownBytes = 256 * 1024

function FileCard({ file, link, command }: CardProps) {
  const { name, summary, description, state, bytes, secret, mediaType } = file
  const [answered, setAnswered] = useState<Answered<string>>()
  const text = answered?.kind === 'done' ? answered.value : undefined
  const isThere = state === 'present' || state === 'undeclared'
  const show = async (): Promise<void> => setAnswered(await exchangeText(link))
  return (
    <section class="sheet" aria-label={name}>
      <div class="head">
        <h2>
          <code>{name}</code>
        </h2>
        <span class="quiet small">
          {[
            t('file.bytes', { n: bytes }),
            mediaType,
            state === 'present' ? undefined : t(`file.${state}`),
            secret ? t('file.secret') : undefined,
          ]
            .filter((one) => one !== undefined)
            .join(' · ')}
        </span>
      </div>
      {summary === undefined ? null : <p>{summary}</p>}
      {description === undefined ? null : <p class="quiet">{description}</p>}
      {isThere && may('read:outputs') ? (
        <div class="acts">
          {bytes <= shownBytes && text === undefined ? (
            <button type="button" onClick={() => void show()}>
              {t('file.show')}
            </button>
          ) : null}
          <a class="button" href={link} download={name}>
            {t('file.download')}
          </a>
        </div>
      ) : null}
      {answered?.kind === 'refused' ? <ProblemNote problem={answered.problem} /> : null}
      {text === undefined ? null : <pre {...reachable}>{text}</pre>}
      {isThere && may('read:outputs') ? <Command words={command} /> : null}
    </section>
  )
}
