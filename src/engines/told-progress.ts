/** What a program tells of its progress by an annotation of its own pod. */
import type { Watch } from './engine.ts'

const annotation = 'apb_last_operation'

/** Takes the annotations as they change; hands each new text on once. */
export function progressOf(watch: Watch): (annotations: Readonly<Record<string, string>>) => void {
  let last = ''
  return (annotations) => {
    const text = annotations[annotation] ?? ''
    if (text !== '' && text !== last) watch.progress(text)
    last = text
  }
}
