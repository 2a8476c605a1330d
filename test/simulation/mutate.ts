/** node test/simulation/mutate.ts [--seeds=N] [--only=TEXT]: lives seeds with each mutant and tells which survive. */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Mutant } from './mutant.ts'
import { mutants } from './mutants.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '400' },
    only: { type: 'string', default: '' },
    tests: { type: 'boolean', default: false },
  },
})
const root = resolve(import.meta.dirname, '../..')
const waiting = mutants.filter(
  ({ name, test }) => name.includes(values.only) && (!values.tests || test !== undefined),
)
let survived = 0

async function judge(mutant: Mutant): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-mutant-'))
  try {
    for (const part of [
      'src',
      'test/simulation',
      'test/support',
      'test/fixtures',
      'test/arguments.ts',
      'test/closing-line.ts',
      'test/run-outcome.ts',
      'test/tidy.ts',
      'package.json',
      'vitest.config.ts',
    ])
      cpSync(join(root, part), join(folder, part), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const edit of mutant.edits) {
      const file = join(folder, 'src', edit.file)
      const parts = readFileSync(file, 'utf8').split(edit.find)
      if (parts.length !== 2)
        throw new RangeError(`${mutant.name}: its place occurs ${parts.length - 1} times in ${edit.file}`)
      writeFileSync(file, parts.join(edit.replace))
    }
    const { code, output } = await (mutant.test === undefined
      ? live(folder, mutant.seed)
      : judgedBy(folder, mutant.test))
    const faults = mutant.test === undefined ? /^ {2}\S.*/m : /(?:Assertion|Problem)Error.*/
    const [first = ''] = faults.exec(output) ?? []
    if (code === 1 && first !== '') console.log(`caught: ${mutant.name} — ${first.trim().slice(0, 100)}`)
    else {
      survived++
      console.log(`SURVIVED: ${mutant.name}\n${output.slice(-600)}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Judgement {
  readonly code: number | null
  readonly output: string
}

/** Lives the seed that has found the fault before, and all of them when it does not any more. */
async function live(folder: string, known?: number): Promise<Judgement> {
  const lives = (...seeds: readonly string[]) =>
    run(folder, [join(folder, 'test/simulation/main.ts'), ...seeds, '--first'])
  const told = known === undefined ? undefined : await lives(`--from=${known}`, `--to=${known}`)
  return told?.code === 1 ? told : lives(`--to=${values.seeds}`)
}

/** A test that passes without the fault, or the whole suite would not be green. */
function judgedBy(folder: string, test: string): Promise<Judgement> {
  return run(folder, [join(root, 'node_modules/vitest/vitest.mjs'), 'run', test, '--bail=1'])
}

function run(folder: string, command: readonly string[]): Promise<Judgement> {
  const child = spawn(process.execPath, command, { cwd: folder, env: { ...process.env, NO_COLOR: '1' } })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text: Buffer) => (output += text.toString()))
  return new Promise((done) => child.on('close', (code) => done({ code, output })))
}

async function worker(): Promise<void> {
  for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) await judge(mutant)
}

await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, worker))
console.log(survived === 0 ? 'every mutant was caught' : `${survived} mutants survived`)
process.exit(survived === 0 ? 0 : 1)
