/** The Open Component Model: tables over documents and archives, judged by the code that reads and makes them. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Topic } from '../topic.ts'
import { archiveTables } from './ocm-archives.ts'
import { documentTables } from './ocm-documents.ts'

export const shared = '../shared/corpus/toi'
const tables = { ...documentTables, ...archiveTables }

export const topic: Topic = {
  home: [existsSync(shared) ? shared : 'test/corpus/ocm'],
  async *run(paths) {
    for (const path of paths)
      for (const [name, judge] of Object.entries(tables)) {
        const file = fileOf(path, name)
        if (file !== undefined) yield* judge(file)
      }
  },
}

/** The table below a folder, or the file itself where it is that table. */
function fileOf(path: string, name: string): string | undefined {
  if (!statSync(path).isDirectory()) return path.endsWith(name) ? path : undefined
  return [join(path, name), join(path, name.replace(/^e2e\//, ''))].find(existsSync)
}
