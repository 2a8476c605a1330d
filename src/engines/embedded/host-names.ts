/** Names that a program finds beside those of the host: a file of its own, with the lines of the host before them. */
import { readFileSync } from 'node:fs'
import type { Job } from '../../model/job.ts'

const file = '/etc/hosts'
const usual = '127.0.0.1 localhost\n::1 localhost\n'

/** The job with the file that holds its names. */
export function withHostNames(job: Job): Job {
  const { hosts = [] } = job
  if (hosts.length === 0) return job
  const lines = hosts.map(({ name, address }) => `${address} ${name}\n`)
  const bytes = new TextEncoder().encode(`${hostsOfHost()}${lines.join('')}`)
  const names = { path: file, mode: 0o444, owner: 'root', readOnly: true } as const
  return { ...job, files: [...job.files, { ...names, content: { kind: 'bytes', bytes } }] }
}

function hostsOfHost(): string {
  try {
    return `${readFileSync(file, 'utf8').trimEnd()}\n`
  } catch {
    // A host without the file knows at least itself.
    return usual
  }
}
