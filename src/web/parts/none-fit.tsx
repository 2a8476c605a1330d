/** What is shown where a list has nothing under its filters: that, and the way back to all. */
import { href } from '../router.ts'
import { t } from '../texts.ts'

/** `path` is that of the list. */
export function NoneFit({ path }: { readonly path: string }) {
  return (
    <>
      <p class="calm">{t('list.noneFit')}</p>
      <p>
        <a href={href(path)}>{t('list.showAll')}</a>
      </p>
    </>
  )
}
