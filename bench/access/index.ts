/** Figures of access, each against the same broker without so many accounts, or against the same question about nothing. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBrokerProcess } from '../../test/support/broker-process.ts'
import { show } from '../figures.ts'
import { fillAccess, tokens } from './fill.ts'
import { guesses } from './guesses.ts'
import { passwordTries } from './password-tries.ts'
import { polls } from './polls.ts'

const many = { accounts: 10_000, others: 100_000 }
const few = { accounts: 1, others: 0 }

/** Runs everything and prints the figures. */
export async function bench(): Promise<void> {
  spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
  const folder = mkdtempSync(join(tmpdir(), 'chandler-bench-'))
  const [empty, twin, full] = [join(folder, 'empty'), join(folder, 'twin'), join(folder, 'full')] as const
  try {
    for (const [dataDir, wish] of [
      [empty, few],
      [twin, few],
      [full, many],
    ] as const) {
      // The first start makes keys and tables.
      await (await startBrokerProcess({ dataDir })).end('SIGTERM')
      await fillAccess(dataDir, wish)
    }
    console.log(`many: ${many.accounts} accounts and ${many.others} tokens`)
    show([await passwordTries(full)])
    const folders = [empty, twin, full] as const
    show(await polls({ by: 'password', folders }))
    show(await polls({ by: 'token', folders, authorization: `Bearer ${tokens.platform}` }))
    show(await guesses(full))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
