/** The title of the window follows the page. */
import { useEffect } from 'preact/hooks'

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Chandler`
  }, [title])
}
