/** What doctor sees of the host and of the settings alone: programs, accounts, data folder, disk, files, certificate. */
import { X509Certificate } from 'node:crypto'
import { accessSync, constants, existsSync, readFileSync, statfsSync, statSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname } from 'node:path'
import type { Finding } from '../api/findings.ts'
import type { Secret } from '../kit/secret.ts'
import type { Settings } from '../settings/settings.ts'
import { findingOf } from './findings.ts'

/** All of them. */
export function examineHost(settings: Settings): readonly Finding[] {
  return [
    ...insecure(settings),
    dataFolder(settings),
    diskSpace(settings),
    openFiles(),
    ...certificate(settings),
  ]
}

/** Whether the program runs on what it is made for. */
export function runtime(): Finding {
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
    return [findingOf(id, 'fail', { code: 'file.unreadable', detail: certificateFile, cause: error })]
  }
}
