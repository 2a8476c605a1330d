/** The frame around every page: navigation, whether it is live, and log-in where there is no session. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Problem } from '../api/problem.ts'
import { isLive } from './live.ts'
import type { PageProps } from './page-props.ts'
import { DeniedPage } from './pages/denied.tsx'
import { LogInPage } from './pages/log-in.tsx'
import { MissingPage } from './pages/missing.tsx'
import { type Page, pageAt, pages } from './pages.ts'
import { Mark } from './parts/mark.tsx'
import { OuterFrame } from './parts/outer-frame.tsx'
import { ProblemNote } from './parts/problem.tsx'
import { SearchBox } from './parts/search-box.tsx'
import { useTitle } from './parts/title.ts'
import { documentsPath } from './place.ts'
import { address, href } from './router.ts'
import { accountOf, may, resume, session } from './session.ts'
import { language, t } from './texts.ts'

/** Everything that is shown. */
export function App() {
  const state = session.value
  useEffect(() => {
    document.documentElement.lang = language.value
  }, [language.value])
  switch (state.kind) {
    case 'asking':
      // The answer is all but there; until then there is nothing that would have to be drawn.
      return null
    case 'unreached':
      return <Unreached problem={state.problem} />
    case 'none':
      return <LogInPage hadEnded={state.hadEnded} />
    case 'open':
      // Of what the account before has loaded or typed, nothing stays.
      return <Frame key={accountOf(state.session)} />
  }
}

const againMs = 2000

/** Whether there is a session is not known: a log-in would be asked for in vain. */
function Unreached({ problem }: { readonly problem: Problem }) {
  const title = t('login.unreached')
  useTitle(title)
  useEffect(() => {
    const timer = setTimeout(() => void resume(), againMs)
    return () => clearTimeout(timer)
  }, [problem])
  return (
    <OuterFrame title={title}>
      <ProblemNote problem={problem} again={() => void resume()} />
    </OuterFrame>
  )
}

function Frame() {
  const { path } = address.value
  const found = pageAt(path)
  return (
    <>
      <button type="button" class="skip" onClick={() => document.getElementById('content')?.focus()}>
        {t('nav.skip')}
      </button>
      <TopBar current={found?.page} />
      <main id="content" tabIndex={-1}>
        {found ? (
          <Shown key={found.page.pattern} page={found.page} params={found.params} />
        ) : (
          <MissingPage path={path} />
        )}
      </main>
      <Liveness />
    </>
  )
}

/** A page; the focus goes to it when the reader comes from another, so that readers of the screen hear where they are. */
function Shown({
  page: { content: Content, needs, title },
  params,
}: {
  readonly page: Page
  readonly params: PageProps['params']
}) {
  const isFirst = useRef(document.activeElement === document.body)
  useEffect(() => {
    if (!isFirst.current) document.getElementById('content')?.focus({ preventScroll: true })
  }, [])
  if (needs !== undefined && !may(needs)) return <DeniedPage title={t(title)} permission={needs} />
  return <Content params={params} />
}

function TopBar({ current }: { readonly current: Page | undefined }) {
  const menu = useRef<HTMLDetailsElement>(null)
  const { path } = address.value
  useEffect(() => {
    if (menu.current) menu.current.open = false
  }, [path])
  const links = pages.filter(
    ({ isInNavigation, needs }) => isInNavigation && (needs === undefined || may(needs)),
  )
  const list = links.map((page) => (
    <li key={page.pattern}>
      <a href={href(page.pattern)} aria-current={page === current ? 'page' : undefined}>
        {t(page.title)}
      </a>
    </li>
  ))
  // The documents are beside the UI, in English.
  list.push(
    <li key="documents">
      <a href={documentsPath} hreflang="en">
        {t('nav.documents')}
      </a>
    </li>,
  )
  return (
    <header class="top">
      <a class="brand" href={href('/')}>
        <Mark />
        <span>Chandler</span>
      </a>
      <nav class="wide" aria-label={t('nav.label')}>
        <ul>{list}</ul>
      </nav>
      <div class="end">
        <SearchBox />
        <a href={href('/account')} aria-current={path === '/account' ? 'page' : undefined}>
          {session.value.kind === 'open' ? session.value.session.user.name : ''}
        </a>
        <details class="narrow" ref={menu}>
          <summary>{t('nav.menu')}</summary>
          <nav aria-label={t('nav.label')}>
            <ul>{list}</ul>
          </nav>
        </details>
      </div>
    </header>
  )
}

function Liveness() {
  const [isLate, setLate] = useState(false)
  const live = isLive.value
  useEffect(() => {
    // A page that has just been opened is not yet a lost connection.
    const timer = setTimeout(() => setLate(!live), 3000)
    if (live) setLate(false)
    return () => clearTimeout(timer)
  }, [live])
  return (
    <p class={isLate ? 'liveness off' : 'liveness'} role="status">
      {isLate ? t('live.off') : ''}
    </p>
  )
}
