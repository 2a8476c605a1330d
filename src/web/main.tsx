/** Starts the UI in a browser. */
import { render } from 'preact'
import { App } from './app.tsx'
import { keepLive } from './live.ts'
import { pageAt } from './pages.ts'
import { address, followLinks } from './router.ts'
import { resume } from './session.ts'

followLinks()
keepLive()
void resume()
// The script of the page is on its way while the broker is asked for the session; one that does not come is told by the page.
void pageAt(address.peek().path)
  ?.page.load()
  .catch(() => undefined)
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
