/** node test/simulation/mutate.ts [--seeds=N] [--only=TEXT]: lives seeds with each mutant and tells which survive. */
import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Mutant, mutants } from './mutants.ts'

const { values } = parseArgs({
  options: { seeds: { type: 'string', default: '400' }, only: { type: 'string', default: '' } },
})
const root = resolve(import.meta.dirname, '../..')
const waiting = mutants.filter(({ name }) => name.includes(values.only))
let survived = 0

async function judge(mutant: Mutant): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-mutant-'))
  try {
    for (const part of ['src', 'test/simulation', 'package.json'])
      cpSync(join(root, part), join(folder, part), { recursive: true })
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
    for (const edit of mutant.edits) {
      const file = join(folder, 'src', edit.file)
      const parts = readFileSync(file, 'utf8').split(edit.find)
      if (parts.length !== 2)
        throw new RangeError(`${mutant.name}: its place occurs ${parts.length - 1} times in ${edit.file}`)
      writeFileSync(file, parts.join(edit.replace))
    }
    const { code, output } = await live(folder)
    const [first = ''] = output.split('\n').filter((line) => line.startsWith('  '))
    if (code === 1 && first !== '') console.log(`caught: ${mutant.name} —${first.slice(1, 100)}`)
    else {
      survived++
      console.log(`SURVIVED: ${mutant.name}\n${output.slice(-600)}`)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function live(folder: string): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(
    process.execPath,
    [join(folder, 'test/simulation/main.ts'), `--to=${values.seeds}`, '--first'],
    { cwd: folder },
  )
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
