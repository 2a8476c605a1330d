/** What is shown where nothing has been ordered yet: what to do first. */
import { href } from '../router.ts'
import { t } from '../texts.ts'

interface Props {
  readonly text: string
  readonly hint: string
}

export function NoInstances({ text, hint }: Props) {
  return (
    <>
      <p class="calm">{text}</p>
      <p class="quiet">{hint}</p>
      <p>
        <a class="button" href={href('/catalog')}>
          {t('instance.order')}
        </a>
      </p>
    </>
  )
}
