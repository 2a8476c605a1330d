/** Starts the UI in a browser. */
import { render } from 'preact'
import { App } from './app.tsx'
import { keepLive } from './live.ts'
import { followLinks } from './router.ts'
import { resume, watchWindows } from './session.ts'

followLinks()
keepLive()
watchWindows()
void resume()
const root = document.getElementById('app')
if (root !== null) render(<App />, root)
