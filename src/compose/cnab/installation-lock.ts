/** One run at a time per installation, across processes: the kernel lets go of the lock when its holder ends, however it ends. */
import { spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { fail } from '../../model/problem.ts'

export interface Lock {
  release(): Promise<void>
}

/** What flock answers when somebody else has the lock. */
const taken = 75

/** Takes the lock or says who has it. Problems: cnab.installation.busy, cnab.lock.impossible. */
export async function lockInstallation(file: string, installation: string, purpose: string): Promise<Lock> {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  // It holds the lock while our end of its standard input is open, which is as long as we live.
  const holder = spawn('flock', ['-n', '-E', String(taken), file, 'cat'], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = new Promise<number>((resolve) => {
    holder.once('error', () => resolve(127))
    holder.once('close', (code) => resolve(code ?? 1))
  })
  // An echo means that it runs, and it runs only with the lock.
  const echo = new Promise<'locked'>((resolve) => holder.stdout.once('data', () => resolve('locked')))
  holder.stdin.on('error', () => undefined)
  holder.stdin.write('?\n')
  const first = await Promise.race([echo, ended])
  if (first === taken) fail('cnab.installation.busy', `${installation}${holderOf(file)}`)
  if (first !== 'locked') fail('cnab.lock.impossible', `flock ended with ${first}`)
  const note = openSync(file, 'w', 0o600)
  writeSync(note, `${purpose}, process ${process.pid}, since ${new Date().toISOString()}`)
  closeSync(note)
  return {
    release: async () => {
      holder.stdin.end()
      await ended
    },
  }
}

/** Whether somebody has the lock. */
export async function isLocked(file: string): Promise<boolean> {
  if (!existsSync(file)) return false
  const probe = spawn('flock', ['-n', '-E', String(taken), file, 'true'], { stdio: 'ignore' })
  return await new Promise((resolve) => {
    probe.once('error', () => resolve(false))
    probe.once('close', (code) => resolve(code === taken))
  })
}

function holderOf(file: string): string {
  const text = readFileSync(file, 'utf8').trim()
  return text === '' ? '' : `: ${text}`
}
