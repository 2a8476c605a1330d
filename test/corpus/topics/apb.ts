/** The Automation Broker's contract: real specs, and tables of what the original broker makes of small ones. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { JsonObject } from '../../../src/kit/json.ts'
import type { Topic, Verdict } from '../topic.ts'
import { judgeActions } from './apb-actions.ts'
import { judgeAuthoring } from './apb-authoring.ts'
import { judgeCalls } from './apb-cluster.ts'
import { judgeAnswers } from './apb-http.ts'
import { sourceTables } from './apb-sources.ts'
import { judgeCatalogs, judgeLabels, judgeSpecs } from './apb-specs.ts'
import { contractTables } from './apb-tables.ts'

export const shared = '../shared/corpus/apb'

export type Judge = (document: JsonObject, file: string) => AsyncIterable<Verdict> | Iterable<Verdict>

/** By folder and file, or by folder alone. */
const judges: Readonly<Record<string, Judge>> = {
  ...contractTables,
  'cases/spec-parsing.json': judgeSpecs,
  ...sourceTables,
  'cases/authoring-validation.json': judgeAuthoring,
  'cases/http.json': judgeAnswers,
  'labels/labels.json': judgeLabels,
  catalog: judgeCatalogs,
  actions: judgeActions,
  'k8s-api/asb-modules.json': judgeCalls,
  'k8s-api/ansible-k8s.json': judgeCalls,
}

/** Folders and files that are what the tables are about, or that other judges read. */
const material = ['specs', 'parsed', 'actions/requests.json', 'actions/secrets.json', 'k8s-api/minimal-pod.json']

export const topic: Topic = {
  home: [shared],
  async *run(paths) {
    for (const file of paths.flatMap(caseFiles)) {
      const [folder, name] = [basename(dirname(file)), basename(file)]
      if (material.includes(folder) || material.includes(`${folder}/${name}`)) continue
      const judge = judges[`${folder}/${name}`] ?? judges[folder]
      if (judge === undefined) {
        yield { name: `${folder}/${name}`, outcome: 'failed', why: 'nothing judges this table' }
      } else yield* judge(JSON.parse(readFileSync(file, 'utf8')) as JsonObject, file)
    }
  },
}

function caseFiles(path: string): readonly string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}

/** Whether the shared corpus lies beside the project. */
export const isHere = existsSync(shared)
