/** The TOI contract: tables over documents, judged by the code that reads and runs packages. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Topic } from '../topic.ts'
import { toiTables } from './toi-documents.ts'
import { runTables } from './toi-runs.ts'

export const shared = '../shared/corpus/toi'
/** The authored component versions serve both topics. */
export const own = 'test/corpus/ocm'

export const topic: Topic = {
  home: [existsSync(shared) ? shared : own],
  async *run(paths) {
    for (const path of paths)
      for (const [name, judge] of Object.entries({ ...toiTables, ...runTables })) {
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
