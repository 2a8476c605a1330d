/** A state in a word with a shape of its own, so that colour is never the only difference. */
import { type TextKey, t, texts } from '../texts.ts'

type Tone = 'good' | 'wait' | 'bad' | 'quiet' | 'past'

const tones: Readonly<Record<string, Tone>> = {
  ready: 'good',
  bound: 'good',
  succeeded: 'good',
  offered: 'good',
  failed: 'bad',
  quarantined: 'bad',
  refused: 'bad',
  gone: 'quiet',
  cancelled: 'quiet',
}

const shapes: Readonly<Record<Tone, string>> = {
  good: 'M8 1.500a6.500 6.500 0 1 0 0 13a6.500 6.500 0 0 0 0-13zM4.800 8.200l2.200 2.200l4.200-4.600',
  wait: 'M8 1.500a6.500 6.500 0 1 0 6.500 6.500M8 4.500v3.800l2.500 1.500',
  bad: 'M8 1.500L15 14H1zM8 6v4M8 12v.2',
  past: 'M3.500 8.300l3 3l6-6.600',
  quiet: 'M8 1.500a6.500 6.500 0 1 0 0 13a6.500 6.500 0 0 0 0-13zM5 8h6',
}

/** The mark of a tone, without a word. */
export function Shape({ tone }: { readonly tone: Tone }) {
  return (
    <svg class={`shape ${tone}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={shapes[tone]} />
    </svg>
  )
}

/** The state of an instance, a binding, an operation or a package. */
export function State({ of, isPast }: { readonly of: string; readonly isPast?: boolean }) {
  const tone = isPast ? 'past' : (tones[of] ?? 'wait')
  return (
    <span class={`state ${tone}`}>
      <Shape tone={tone} />
      {stateWord(of)}
    </span>
  )
}

/** What a state is called. */
export function stateWord(state: string): string {
  const key = `state.${state}`
  return Object.hasOwn(texts, key) ? t(key as TextKey) : state
}
