/** Moments as ages that grow while one looks, and lengths of time. */
import { signal } from '@preact/signals'
import { type Language, language, t } from '../texts.ts'

/** Ticks while the page is visible. */
const now = signal(Date.now())
setInterval(() => {
  if (document.visibilityState === 'visible') now.value = Date.now()
}, 1000)

const steps = [
  ['days', 86_400],
  ['hours', 3600],
  ['minutes', 60],
  ['seconds', 1],
] as const

function stepOf(seconds: number) {
  const [name, size] =
    steps.find(([, size]) => seconds >= size * (size === 1 ? 0 : 1)) ?? (['seconds', 1] as const)
  return { name, n: Math.floor(seconds / size) }
}

/** How long ago something was; the exact moment is told on pointing at it, and written only then: that is slow, and lists have many. */
export function Ago({ at }: { readonly at: string }) {
  const seconds = Math.max(0, Math.floor((now.value - Date.parse(at)) / 1000))
  const { name, n } = stepOf(seconds)
  return (
    <time
      dateTime={at}
      onPointerEnter={(event) => {
        event.currentTarget.title = moment(at)
      }}
    >
      {seconds < 2 ? t('time.now') : t(`time.${name}`, { n })}
    </time>
  )
}

/** How long something lasted, or has lasted until now. */
export function Lasting({ from, to }: { readonly from: string; readonly to?: string | undefined }) {
  const end = to === undefined ? now.value : Date.parse(to)
  return <>{lastingText((end - Date.parse(from)) / 1000)}</>
}

/** A number of seconds in one unit. */
export function lastingText(seconds: number): string {
  if (seconds > 0 && seconds < 1)
    return t('time.lasts.milliseconds', { n: Math.max(1, Math.round(seconds * 1000)) })
  const { name, n } = stepOf(Math.max(0, Math.floor(seconds)))
  return t(`time.lasts.${name}`, { n })
}

const writers = new Map<Language, Intl.DateTimeFormat>()

/** Made when it is first needed and kept: to make one costs more than all that it writes. */
function writerOf(of: Language): Intl.DateTimeFormat {
  const writer = writers.get(of) ?? new Intl.DateTimeFormat(of, { dateStyle: 'medium', timeStyle: 'medium' })
  writers.set(of, writer)
  return writer
}

/** A moment as people write it. */
export function moment(at: string): string {
  return writerOf(language.value).format(new Date(at))
}
