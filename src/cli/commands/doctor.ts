/** chandler doctor: checks this machine and its configuration, and says what to fix. */
import type { Command } from 'commander'
import { add } from '../command.ts'
import { exitBy, printFindings } from '../doctor-findings.ts'
import type { ExaminationOptions } from '../examination.ts'
import { type Form, printDocument, withOutput } from '../output.ts'
import { withSettings } from '../settings-options.ts'

interface DoctorOptions extends ExaminationOptions {
  readonly output: Form
}

export function register(program: Command): void {
  const command = add(program, {
    usage: 'doctor',
    summary: 'Check this machine and its configuration, and say what to fix',
    description:
      'Checks configuration, data folder, key ring, store, engines, ports and certificates, and what the store tells: the clock of the database, the latest audit records, nodes that are gone, operations that stand still. A database file is looked into only while no broker has it. With --online it also asks what the configuration names elsewhere: the registry of each package, sources, files of the web, the identity provider, the audit server. Exit code 0 when all is well or there are warnings only, 3 when something must be fixed.',
    examples: ['doctor --config chandler.yml', 'doctor --online', 'doctor -o json'],
  }).option('--online', 'also ask registries, sources, identity provider and audit server')
  withOutput(withSettings(command)).action(async (options: DoctorOptions) => {
    const { examine } = await import('../examination.ts')
    const findings = await examine(options)
    if (options.output === 'json' || options.output === 'yaml') {
      await printDocument(options.output, 'Doctor', { findings })
    } else {
      printFindings(findings)
    }
    exitBy(findings)
  })
}
