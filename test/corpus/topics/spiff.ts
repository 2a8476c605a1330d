/** The spiff language: expressions, documents, errors; where the project decides otherwise, its decision. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Topic, Verdict } from '../topic.ts'
import { decided } from '../spiff/decisions.ts'
import { type Case, judge } from '../spiff/judge.ts'

const shared = new URL('../../../../shared/corpus/spiff', import.meta.url).pathname

export const topic: Topic = {
  home: existsSync(shared) ? [shared] : ['test/corpus/spiff'],
  async *run(files) {
    for (const file of files.flatMap(caseFiles))
      for (const item of JSON.parse(readFileSync(file, 'utf8')) as readonly Case[]) yield verdict(item, basename(file))
  },
}

function caseFiles(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => join(path, name))
}

function verdict(item: Case, file: string): Verdict {
  const name = `${file}: ${item.name}`
  const decision = decided(file, item)
  try {
    const why = judge({ ...item, ...decision?.outcome }, file)
    if (why !== undefined) return { name, outcome: 'failed', why: decision ? `${decision.reason.why}\n${why}` : why }
    return { name, outcome: 'passed' }
  } catch (error) {
    return { name, outcome: 'failed', why: error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error) }
  }
}
