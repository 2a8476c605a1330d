/** What is shown instead of a page that the API would refuse to fill. */
import type { Permission } from '../../model/access.ts'
import { useTitle } from '../parts/title.ts'
import { href } from '../router.ts'
import { t } from '../texts.ts'

interface Props {
  readonly title: string
  readonly permission: Permission
}

export function DeniedPage({ title, permission }: Props) {
  useTitle(title)
  return (
    <>
      <h1>{title}</h1>
      <p class="calm">{t('order.needs', { permission })}</p>
      <p>
        <a href={href('/account')}>{t('denied.account')}</a>
      </p>
    </>
  )
}
