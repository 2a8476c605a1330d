/** What is shown at an address that leads to nothing. */
import { useTitle } from '../parts/title.ts'
import { href } from '../router.ts'
import { t } from '../texts.ts'

export function MissingPage({ path }: { readonly path: string }) {
  useTitle(t('missing.title'))
  return (
    <>
      <h1>{t('missing.title')}</h1>
      <p>{t('missing.lead', { path })}</p>
      <p>
        <a href={href('/')}>{t('missing.home')}</a>
      </p>
    </>
  )
}
