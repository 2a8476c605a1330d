/** A support bundle that is made here, for the day when no broker runs. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { documentFile, type SupportFile, type SupportWish } from '../diagnostics/support/file.ts'
import { bundleOfMachine } from '../diagnostics/support/of-machine.ts'
import { fail } from '../model/problem.ts'
import { examine } from './examination.ts'
import { type SettingsOptions, settingsOf } from './settings-options.ts'
import { version } from './version.ts'

/** Problems: settings.invalid, file.unreadable, operation.unknown. */
export async function localBundle(
  options: SettingsOptions,
  wish: SupportWish,
  log: string | undefined,
): Promise<Uint8Array> {
  const { settings, entries } = settingsOf(options)
  const findings = await examine(options)
  const files: readonly SupportFile[] = [
    documentFile('doctor.json', 'what doctor finds on this machine, and how to fix it', { findings }),
    ...(log === undefined ? [] : [{ name: 'broker.log', about: `the end of ${log}`, text: endOf(log) }]),
  ]
  return bundleOfMachine({ settings, entries, files, version: version() }, wish)
}

const logBytes = 1024 * 1024

/** The last lines of a file, whole ones. */
function endOf(path: string): string {
  try {
    const file = openSync(path, 'r')
    try {
      const { size } = fstatSync(file)
      const from = Math.max(0, size - logBytes)
      const bytes = Buffer.alloc(size - from)
      const text = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from)).toString()
      return from === 0 ? text : text.slice(text.indexOf('\n') + 1)
    } finally {
      closeSync(file)
    }
  } catch (cause) {
    return fail('file.unreadable', path, { cause })
  }
}
