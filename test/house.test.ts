/** The rules of the house: the sources keep them, and each fault that is planted is caught with what to do instead. */
import { expect, test } from 'vitest'
import { judgeHouse, readHouse } from './house/read.ts'
import { describeFault, type House, type RuleName, rules } from './house/rules.ts'

const house = readHouse()

test('the sources keep every rule', () => {
  expect(judgeHouse(house).map(describeFault)).toEqual([])
})

test('every rule has a reason and a remedy', () => {
  for (const [name, { reason, remedy }] of Object.entries(rules))
    expect([name, reason.length > 20, remedy.length > 10]).toEqual([name, true, true])
})

/** A house of one file with this body, which is its entrance. */
function planted(path: string, body: string, head = '/** A planted file. */\n'): House {
  const files = new Map([[path, `${head}${body}\n`]])
  return { files, tests: [], map: { ...house.map, entrances: [path] } }
}

function long(lines: number): string {
  return Array.from({ length: lines }, (_, i) => `  work(${i})`).join('\n')
}

const open = `export function f(value: V): void {
  switch (value.kind) {
    case 'one':
      work()
  }
}`

const faults: readonly (readonly [RuleName, string, string])[] = [
  ['part-unknown', 'attic/old.ts', 'export const a = 1'],
  ['import-up', 'kit/planted.ts', "import { never } from '../broker/admission.ts'\nexport const a = never"],
  [
    'import-up',
    'model/planted.ts',
    "import { openStore } from '../store/index.ts'\nexport const a = openStore",
  ],
  [
    'import-up',
    'contracts/planted.ts',
    "import type { Engine } from '../engines/engine.ts'\nexport type A = Engine",
  ],
  [
    'import-up',
    'broker/planted.ts',
    "import { openStore } from '../store/index.ts'\nexport const a = openStore",
  ],
  ['import-up', 'work/planted.ts', "import { x } from '../http/answer.ts'\nexport const a = x"],
  ['import-up', 'local/planted.ts', "import { x } from '../compose/tls.ts'\nexport const a = x"],
  ['import-up', 'host/planted.ts', "import { x } from '../local/act.ts'\nexport const a = x"],
  ['import-up', 'store/planted.ts', "export const a = () => import('../cli/main.ts')"],
  [
    'island-entrance',
    'host/planted.ts',
    "import { x } from '../contracts/cnab/inject.ts'\nexport const a = x",
  ],
  [
    'island-entrance',
    'contracts/tweed/planted.ts',
    "import { x } from '../cnab/index.ts'\nexport const a = x",
  ],
  [
    'island-entrance',
    'engines/docker/planted.ts',
    "import { x } from '../embedded/index.ts'\nexport const a = x",
  ],
  [
    'island-entrance',
    'languages/hil/planted.ts',
    "import { x } from '../spiff/index.ts'\nexport const a = x",
  ],
  ['pure-part', 'broker/planted.ts', 'export const a = Date.now()'],
  ['pure-part', 'broker/planted.ts', 'export const a = new Date()'],
  ['pure-part', 'contracts/planted.ts', 'export const a = Math.random()'],
  ['pure-part', 'contracts/planted.ts', 'export const a = globalThis.process'],
  ['pure-part', 'contracts/planted.ts', 'export const a = global.fetch'],
  ['pure-part', 'model/planted.ts', 'export const a = process.platform'],
  ['pure-part', 'languages/planted.ts', 'export const a = performance.now()'],
  ['pure-part', 'kit/planted.ts', 'setTimeout(work, 1)'],
  ['pure-part', 'kit/planted.ts', 'setImmediate(work)'],
  ['pure-part', 'api/planted.ts', "console.log('here')"],
  ['pure-part', 'api/planted.ts', "export const a = fetch('http://example')"],
  [
    'platform-door',
    'broker/planted.ts',
    "import { readFileSync } from 'node:fs'\nexport const a = readFileSync",
  ],
  [
    'platform-door',
    'kit/planted.ts',
    "import { createHash } from 'node:crypto'\nexport const a = createHash",
  ],
  ['library-door', 'host/planted.ts', "import pino from 'pino'\nexport const a = pino"],
  ['library-door', 'broker/planted.ts', "import { Pool } from 'pg'\nexport const a = Pool"],
  ['library-door', 'cli/planted.ts', "import { parse } from 'yaml'\nexport const a = parse"],
  ['import-circle', 'local/planted.ts', "import { a } from './planted.ts'\nexport const b = a"],
  ['dynamic-import', 'host/planted.ts', 'export const a = (name: string) => import(name)'],
  ['dynamic-import', 'store/planted.ts', 'export const a = (name: string) => import(`./${name}.ts`)'],
  ['file-name', 'host/plantedFile.ts', 'export const a = 1'],
  ['file-name', 'host/utils.ts', 'export const a = 1'],
  ['nickname', 'host/yard.ts', 'export const a = 1'],
  ['nickname', 'host/planted.ts', 'export interface ReadingRoom {}'],
  ['nickname', 'host/planted.ts', 'export async function pour(): Promise<void> {}'],
  ['file-length', 'host/planted.ts', long(420)],
  ['part-length', 'compose/planted.ts', long(2600)],
  ['function-length', 'host/planted.ts', `export function f(): void {\n${long(80)}\n}`],
  ['function-length', 'host/planted.ts', `export const f = (x: number) => {\n${long(80)}\n}`],
  ['function-length', 'host/planted.ts', `async function f(): Promise<void> {\n${long(70)}\n}`],
  ['unfinished', 'host/planted.ts', 'export const a = 1 // TODO later'],
  ['comment-subject', 'host/planted.ts', '// Whoever comes next finds it.\nexport const a = 1'],
  ['code-untested', 'model/problems/planted.ts', "export const planted = {\n  'planted.code': {},\n}"],
  ['default-export', 'host/planted.ts', 'export default 1'],
  ['whole-module', 'host/planted.ts', "export * from './engines.ts'"],
  ['bare-error', 'host/planted.ts', "throw new Error('no')"],
  ['bare-error', 'host/planted.ts', "throw new TypeError('no')"],
  ['environment', 'store/planted.ts', "export const a = process.env['HOME']"],
  ['environment', 'http/planted.ts', "export const a = process['env']"],
  ['environment', 'engines/planted.ts', 'export const { env } = process'],
  ['clock', 'work/planted.ts', 'export const a = performance.now()'],
  ['clock', 'engines/planted.ts', 'export const a = performance.now()'],
  ['revealed-secret', 'work/planted.ts', "log.info('code', 'said', { password: secret.reveal() })"],
  ['revealed-secret', 'cli/planted.ts', 'print(`it is ${secret.reveal()}`)'],
  ['status-place', 'local/planted.ts', 'response.statusCode = 404'],
  ['status-place', 'compose/planted.ts', 'response.writeHead(500)'],
  ['status-place', 'compose/planted.ts', 'reply.code(409)'],
  ['switch-open', 'work/planted.ts', open],
]

test.each(faults)('%s is caught in %s: %s', (rule, path, body) => {
  const found = judgeHouse(planted(path, body)).filter((fault) => fault.rule === rule)

  expect(found).toHaveLength(1)
  expect(describeFault(found[0] ?? { at: '', rule, found: '' })).toContain(rules[rule].remedy)
})

test('a file that begins with no sentence, and one that nothing reaches, are caught', () => {
  const bare = judgeHouse(planted('host/planted.ts', 'export const a = 1', ''))
  const files = new Map([...house.files, ['host/lost.ts', '/** Lost. */\nexport const a = 1\n'] as const])

  expect(bare.map(({ rule }) => rule)).toEqual(['first-sentence'])
  expect(judgeHouse({ ...house, files }).map(({ rule }) => rule)).toEqual(['unreached'])
})
