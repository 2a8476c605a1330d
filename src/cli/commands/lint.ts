/** chandler lint: any package, of whatever contract, as sources or built. */
import type { Command } from 'commander'
import { add } from '../command.ts'
import { findingsOf, type LintForm, printFindings, withLintOutput } from '../findings.ts'
import { localDataDir } from '../local.ts'
import { packageListener } from '../package-listener.ts'
import { withRegistries } from '../registries-option.ts'

export interface PathOptions {
  readonly dataDir: string
}

export function register(program: Command): void {
  const command = add(program, {
    usage: 'lint [path]',
    summary: 'Say everything that is wrong with a package, of whatever contract, with file, line and fix',
    description:
      'Takes a folder of sources (image.yml, apb.yml, manifest.yml, bundle.json or component-constructor.yaml) or the reference of a package. Errors keep a package out of a catalog and make the command end with 9; warnings are what users would trip over.',
    examples: ['lint', 'lint my-bundle -o json', 'lint my-pak -o sarif > findings.sarif'],
  }).option('--data-dir <path>', 'where images and keys are kept', localDataDir())
  withRegistries(withLintOutput(command)).action(
    async (path = '.', { dataDir, output }: PathOptions & { output: LintForm }) => {
      await lintOnce(path, dataDir, output)
    },
  )
}

/** Lints and prints; answers whether nothing is wrong. */
export async function lintOnce(path: string, dataDir: string, output: LintForm): Promise<boolean> {
  const { lintPath } = await import('../../authoring/sources/lint.ts')
  const { contract, errors, warnings } = await lintPath(path, dataDir, packageListener())
  const findings = [...findingsOf('error', errors), ...findingsOf('warning', warnings)]
  const verdict = contract === undefined ? {} : { contract }
  await printFindings(output, { subject: path, findings, verdict })
  return errors.length === 0
}
