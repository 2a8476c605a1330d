import { expect, test } from 'vitest'
import { contracts } from '../contracts/index.ts'
import type { EngineFacts } from '../engines/engine.ts'
import { engineWords } from './engine-words.ts'

const embedded: EngineFacts = {
  run: 'process',
  programs: ['image', 'tools'],
  severalSteps: true,
  outlives: true,
  streamsApart: true,
  readOnlyMounts: true,
  folderLimit: 'hard',
  networkNone: true,
  memoryLimit: true,
  processLimit: true,
  processorLimit: true,
  cluster: ['none', 'stand-in'],
}
const docker: EngineFacts = { ...embedded, run: 'container', programs: ['image'], severalSteps: false }

test.each<[string, EngineFacts, string]>([
  [
    'all but what pretends',
    embedded,
    'runs image, tools; packages of apb, brokerpak, cnab, toi, tweed; not sim (no pretend)',
  ],
  [
    'images in one step',
    docker,
    'runs image, one step per run; packages of apb, cnab, toi, tweed; not brokerpak (no tools), sim (no pretend)',
  ],
  [
    'nothing that asks for a cluster',
    { ...embedded, cluster: ['none'] },
    'runs image, tools; packages of brokerpak, cnab, toi, tweed; not apb (no cluster), sim (no pretend)',
  ],
])('an engine that runs %s is told with its contracts', (_, facts, words) => {
  expect(engineWords(facts, contracts)).toBe(words)
})
