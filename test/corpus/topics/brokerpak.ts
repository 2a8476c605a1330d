/** Corpus topic brokerpak: tables, real definitions, hostile archives, and the offline scenarios with a real Terraform. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Topic } from '../topic.ts'
import { paks } from './brokerpak-paks.ts'
import { scenarios } from './brokerpak-scenarios.ts'
import { shared, tables } from './brokerpak-tables.ts'

export const topic: Topic = {
  home: [shared],
  async *run(files) {
    for (const file of files) {
      for (const [table, check] of Object.entries(tables)) {
        if (existsSync(join(file, table))) yield* check(join(file, table))
        else if (file.endsWith(table)) yield* check(file)
      }
      if (existsSync(join(file, 'pak/hostile'))) yield* paks(join(file, 'pak'))
      if (existsSync(join(file, 'e2e-offline'))) yield* scenarios(join(file, 'e2e-offline'))
    }
  },
}
