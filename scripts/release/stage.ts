/** The program as it is installed: built JavaScript, declarations, documents and licences, without what only its development needs. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BundledPackage, licenceTexts } from '../bundled-packages.ts'

export interface Staged {
  readonly folder: string
  readonly version: string
  readonly bundled: readonly BundledPackage[]
}

/** Builds it into a folder that is not there yet. */
export function stage(folder: string): Staged {
  mkdirSync(folder, { recursive: true })
  node('scripts/build.ts', join(folder, 'dist'))
  node('scripts/build-libraries.ts', join(folder, 'lib'))
  for (const name of [
    'bin',
    'conformance',
    'docs',
    'examples',
    'LICENSE',
    'README.md',
    'SECURITY.md',
    'CHANGELOG.md',
  ])
    cpSync(name, join(folder, name), { recursive: true })
  const bundled = JSON.parse(
    readFileSync(join(folder, 'dist/bundled.json'), 'utf8'),
  ) as readonly BundledPackage[]
  writeFileSync(join(folder, 'NOTICE'), noticeOf(bundled))
  const { scripts: _scripts, devDependencies: _dev, private: _private, ...kept } = packageDocument()
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(kept, null, 2)}\n`)
  return { folder, version: String(kept['version']), bundled }
}

function node(script: string, to: string): void {
  execFileSync(process.execPath, [script, to], { stdio: ['ignore', 'ignore', 'inherit'] })
}

export function packageDocument(): Record<string, unknown> {
  return JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>
}

/** Names what is brought along, with its licences. */
function noticeOf(bundled: readonly BundledPackage[]): string {
  const parts = bundled.map((one) =>
    [`${one.name} ${one.version} (${one.license})`, ...licenceTexts(one)].join('\n\n'),
  )
  const head = 'Chandler\n\nThis product brings along the following packages, each under its own licence.\n'
  return `${[head, ...parts].join(`\n${'-'.repeat(78)}\n\n`)}\n`
}
