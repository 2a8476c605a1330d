/** The way through the pages of a list; each page is an address. */
import { address, href } from '../router.ts'
import { t } from '../texts.ts'

interface Props {
  /** The marker of the next page. */
  readonly next: string | undefined
  /** Of the markers in the address. */
  readonly name?: string
}

export function Paging({ next, name = 'cursor' }: Props) {
  const { path, query } = address.value
  const others = Object.fromEntries([...query].filter(([key]) => key !== name))
  const isFirst = !query.has(name)
  if (isFirst && next === undefined) return null
  return (
    <nav class="paging" aria-label={t('list.pages')}>
      {isFirst ? null : <a href={href(path, others)}>{t('list.first')}</a>}
      {next === undefined ? null : <a href={href(path, { ...others, [name]: next })}>{t('list.next')}</a>}
    </nav>
  )
}
