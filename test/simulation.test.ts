/** The guarantees under seeded chaos: lives of a cluster, and every broken version of the core found out. */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** A sample; `npm run simulate` lives as many as it is told to. */
const seeds = Number(process.env['CHANDLER_SEEDS'] ?? 60)
const folder = join(import.meta.dirname, 'simulation')

test(`${seeds} seeded lives of a cluster break no promise`, { timeout: 5_400_000 }, async () => {
  const processes = Math.max(2, availableParallelism())
  const share = Math.ceil(seeds / processes)

  const lives = await Promise.all(
    Array.from({ length: processes }, (_, i) =>
      run('main.ts', `--from=${i * share + 1}`, `--to=${Math.min(seeds, (i + 1) * share)}`),
    ),
  )

  // A failure is reproduced by: node test/simulation/main.ts --from=SEED --to=SEED --trace
  expect(lives.map(({ output }) => output).join('')).not.toMatch(/^seed /m)
  expect(lives.map(({ code }) => code)).toEqual(lives.map(() => 0))
})

test('one life goes well, whichever of its effects goes wrong, in whichever way', {
  timeout: 5_400_000,
}, async () => {
  const processes = Math.max(2, availableParallelism())
  const shares = await Promise.all(
    Array.from({ length: processes }, (_, i) => run('main.ts', '--points', `--share=${i}/${processes}`)),
  )
  const counts = shares.map(({ output }) => /^(\d+) cells, (\d+) faults$/m.exec(output) ?? [output])

  expect(counts.map(([all, , faults]) => [all, faults])).toEqual(counts.map(([all]) => [all, '0']))
  expect(counts.reduce((sum, [, cells]) => sum + Number(cells), 0)).toBeGreaterThan(600)
})

test('every mutant of the guarantees is caught', { timeout: 5_400_000 }, async () => {
  const { code, output } = await run('mutate.ts', '--seeds=400')

  expect(output).toContain('every mutant was caught')
  expect(code).toBe(0)
})

function run(
  script: string,
  ...options: readonly string[]
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(folder, script), ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (text: Buffer) => {
      output += text.toString()
    })
  }
  return new Promise((done) => child.on('close', (code) => done({ code, output })))
}
