/** What doctor looks at before a broker is started: each check says what it found, and how to fix what is wrong. */
import { createServer } from 'node:net'
import type { Finding } from '../api/findings.ts'
import { examineHost, runtime } from '../diagnostics/examine-host.ts'
import { examineMachine } from '../diagnostics/examine-machine.ts'
import { examineOnline } from '../diagnostics/examine-online.ts'
import { examineTraces } from '../diagnostics/examine-traces.ts'
import { findingOf, findingsOf } from '../diagnostics/findings.ts'
import { loadedOf, type SettingsOptions } from './settings-options.ts'

export interface ExaminationOptions extends SettingsOptions {
  /** Also asks what is elsewhere: registries, identity provider, audit server. */
  readonly online?: boolean
}

/** All findings, in the order in which one would fix them. */
export async function examine(options: ExaminationOptions): Promise<readonly Finding[]> {
  const loaded = loadedOf(options)
  if (loaded.kind === 'faults') {
    return [runtime(), ...loaded.problems.map((problem) => findingOf('configuration', 'fail', problem))]
  }
  const { settings, file, warnings, absent } = loaded
  const { listen, adminListen } = settings.http
  return [
    runtime(),
    { id: 'configuration', state: 'ok', what: file ?? 'defaults and environment' },
    ...[...warnings, ...absent].map((warning) => findingOf('configuration', 'warn', warning)),
    ...examineHost(settings),
    await port('http.listen', listen),
    ...(adminListen === 'off' ? [] : [await port('http.adminListen', adminListen)]),
    ...(await examineMachine(settings)).flatMap(findingsOf),
    ...(await examineTraces(process.env)).flatMap(findingsOf),
    ...(options.online ? await examineOnline(settings) : []).flatMap(findingsOf),
  ]
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
