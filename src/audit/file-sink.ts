/** A file that records and anchors are appended to, one JSON object per line. */
import { open } from 'node:fs/promises'
import type { AuditSink } from './sink.ts'

/** Opened anew each time, so that a program that rotates files may take this one away. */
export function fileSink(path: string): AuditSink {
  return {
    name: `file ${path}`,
    records: true,
    async take(lines) {
      const file = await open(path, 'a', 0o600)
      try {
        await file.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
        await file.sync()
      } finally {
        await file.close()
      }
    },
  }
}
