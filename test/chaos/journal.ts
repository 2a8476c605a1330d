/** What was acknowledged, on disk before anybody acts on it: the truth that a crash may not take back. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'

export interface Acknowledged {
  readonly operation: string
  readonly instance: string
  readonly binding?: string
  readonly kind: 'provision' | 'update' | 'bind' | 'unbind' | 'deprovision'
  /** How long the pretended work takes; without any, nothing needs to be started. */
  readonly ms: number
}

export interface Journal {
  note(one: Acknowledged): void
  /** Read back from the disk. */
  all(): readonly Acknowledged[]
  close(): void
}

export function openJournal(file: string): Journal {
  const handle = openSync(file, 'a')
  return {
    note(one) {
      writeSync(handle, `${JSON.stringify(one)}\n`)
      fsyncSync(handle)
    },
    all: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Acknowledged),
    close: () => closeSync(handle),
  }
}
