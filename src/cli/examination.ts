/** What doctor looks at: each check says what it found, and how to fix what is wrong. */
import { X509Certificate } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import { examineMachine } from '../compose/examine.ts'
import type { Secret } from '../kit/secret.ts'
import { describeProblem, type Problem } from '../model/problem.ts'
import { type ProblemCode, problemCodes } from '../model/problem-codes.ts'
import type { Settings } from '../settings/settings.ts'
import { loadedOf, type SettingsOptions } from './settings-options.ts'

export interface Finding {
  readonly id: string
  readonly state: 'ok' | 'warn' | 'fail' | 'skip'
  readonly what: string
  readonly fix?: string
}

/** All findings, in the order in which one would fix them. */
export async function examine(options: SettingsOptions): Promise<readonly Finding[]> {
  const loaded = loadedOf(options)
  const runtime = nodeVersion()
  if (loaded.kind === 'faults') {
    return [runtime, ...loaded.problems.map((problem) => fromProblem('configuration', 'fail', problem))]
  }
  const { settings, file, warnings } = loaded
  return [
    runtime,
    { id: 'configuration', state: 'ok', what: file ?? 'defaults and environment' },
    ...warnings.map((warning) => fromProblem('configuration', 'warn', warning)),
    ...insecure(settings),
    dataFolder(settings),
    diskSpace(settings),
    openFiles(),
    ...certificate(settings),
    await port('http.listen', settings.http.listen),
    ...(settings.http.adminListen === 'off'
      ? []
      : [await port('http.adminListen', settings.http.adminListen)]),
    ...(await house(settings)),
  ]
}

function nodeVersion(): Finding {
  const [major] = process.versions.node.split('.')
  const what = `Node ${process.versions.node}, ${availableParallelism()} processors`
  return Number(major) >= 24
    ? { id: 'runtime', state: 'ok', what }
    : {
        id: 'runtime',
        state: 'fail',
        what,
        fix: 'Install Node 24, or run npm start once: it brings Node 24 along.',
      }
}

function insecure({ http, auth }: Settings): readonly Finding[] {
  const local = /^(127\.|localhost:|\[::1\])/.test(http.listen)
  const open: readonly Finding[] =
    local || http.tls.certificateFile !== undefined
      ? []
      : [
          {
            id: 'encryption',
            state: 'warn',
            what: `${http.listen} is reached from elsewhere without TLS`,
            fix: 'Set http.tls, or put a proxy in front that speaks TLS.',
          },
        ]
  return [
    ...open,
    ...auth.users.flatMap(({ name, password, token }) => [
      ...weak(name, 'password', password),
      ...weak(name, 'token', token),
    ]),
  ]
}

function weak(account: string, kind: 'password' | 'token', secret: Secret | undefined): readonly Finding[] {
  if (secret === undefined || secret.reveal().length >= 12) return []
  const previous = kind === 'password' ? 'previousPassword' : 'previousToken'
  return [
    {
      id: kind,
      state: 'warn',
      what: `the ${kind} of ${account} has fewer than 12 characters`,
      fix: `Choose a longer one; ${previous} keeps the old one valid while clients move.`,
    },
  ]
}

function dataFolder({ dataDir }: Settings): Finding {
  const id = 'data folder'
  const place = existsSync(dataDir) ? dataDir : nearestFolder(dataDir)
  try {
    accessSync(place, constants.W_OK)
  } catch {
    return {
      id,
      state: 'fail',
      what: `${place} is not writable`,
      fix: `Make it writable for this user, or set dataDir.`,
    }
  }
  if (!existsSync(dataDir)) return { id, state: 'ok', what: `${dataDir} will be made` }
  const open = (statSync(dataDir).mode & 0o077) !== 0
  return open
    ? { id, state: 'warn', what: `${dataDir} is readable for others`, fix: `chmod 700 ${dataDir}` }
    : { id, state: 'ok', what: dataDir }
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path))
}

function diskSpace({ dataDir, limits }: Settings): Finding {
  const { bavail, bsize, ffree, files } = statfsSync(nearestFolder(dataDir))
  const free = bavail * bsize
  const what = `${Math.round(free / 2 ** 20)} MiB free`
  const id = 'disk'
  if (files > 0 && ffree < 1000) {
    return {
      id,
      state: 'fail',
      what: 'no room for more files (inodes)',
      fix: 'Remove files, or use another volume.',
    }
  }
  if (free < limits.minFreeDisk) {
    return { id, state: 'fail', what, fix: 'Make room: below limits.minFreeDisk the broker is not ready.' }
  }
  return free < limits.minFreeDisk * 4
    ? { id, state: 'warn', what, fix: 'Make room soon: images and logs need some.' }
    : { id, state: 'ok', what }
}

function openFiles(): Finding {
  const id = 'open files'
  const limits = existsSync('/proc/self/limits') ? readFileSync('/proc/self/limits', 'utf8') : ''
  const [, soft] = /^Max open files\s+(\S+)/m.exec(limits) ?? []
  if (soft === undefined) return { id, state: 'skip', what: 'cannot be read here' }
  return soft !== 'unlimited' && Number(soft) < 4096
    ? {
        id,
        state: 'warn',
        what: `at most ${soft}`,
        fix: 'Raise it: ulimit -n 65536, or LimitNOFILE in the unit.',
      }
    : { id, state: 'ok', what: `at most ${soft}` }
}

const soonDays = 14

function certificate({ http }: Settings): readonly Finding[] {
  const { certificateFile } = http.tls
  if (certificateFile === undefined) return []
  const id = 'certificate'
  try {
    const { validTo } = new X509Certificate(readFileSync(certificateFile))
    const days = Math.floor((Date.parse(validTo) - Date.now()) / 86_400_000)
    const what = `valid until ${new Date(validTo).toISOString()}`
    if (days < 0)
      return [{ id, state: 'fail', what, fix: 'Renew it; the file is read again when it changes.' }]
    return [days < soonDays ? { id, state: 'warn', what, fix: 'Renew it soon.' } : { id, state: 'ok', what }]
  } catch (error) {
    return [fromProblem(id, 'fail', { code: 'file.unreadable', detail: certificateFile, cause: error })]
  }
}

async function port(id: string, address: string): Promise<Finding> {
  const colon = address.lastIndexOf(':')
  const host = address.slice(0, colon).replace(/^\[|\]$/g, '')
  const server = createServer()
  const fault = await new Promise<string | undefined>((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen(Number(address.slice(colon + 1)), host, () => resolve(undefined))
  })
  if (fault === undefined) {
    await new Promise((resolve) => server.close(resolve))
    return { id, state: 'ok', what: `${address} is free` }
  }
  return fault === 'EADDRINUSE'
    ? {
        id,
        state: 'warn',
        what: `${address} is in use`,
        fix: 'Fine when the broker runs; else choose another port.',
      }
    : {
        id,
        state: 'fail',
        what: `${address}: ${fault}`,
        fix: 'Choose an address of this machine and a free port.',
      }
}

async function house(settings: Settings): Promise<readonly Finding[]> {
  const seen = await examineMachine(settings)
  return seen.flatMap(({ id, problems, what, advice = [] }): readonly Finding[] => {
    const findings = problems.map((problem) =>
      fromProblem(id, isBearable(problem) ? 'warn' : 'fail', problem),
    )
    const warnings = advice.map((one): Finding => ({ id, state: 'warn', ...one }))
    const isWell = problems.every(isBearable) && what !== ''
    return [...(isWell ? [{ id, state: 'ok', what } as const] : []), ...findings, ...warnings]
  })
}

/** What a broker works with all the same, on this host as it is. */
const bearable: ReadonlySet<string> = new Set<ProblemCode>([
  'store.locked',
  'engine.not-enforced',
  'engine.runtime-missing',
  'engine.network-shared',
])

function isBearable({ code }: Problem): boolean {
  return bearable.has(code)
}

function fromProblem(id: string, state: 'warn' | 'fail', problem: Problem): Finding {
  return { id, state, what: describeProblem(problem), fix: problem.hint ?? problemCodes[problem.code].hint }
}
