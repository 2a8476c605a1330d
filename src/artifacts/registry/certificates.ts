/** The certificates of a registry where Docker and Podman look for them: the system's, and a folder per host. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { rootCertificates, type SecureContextOptions } from 'node:tls'
import { fail } from '../../model/problem.ts'
import type { RegistrySettings } from './settings.ts'
import { isLoopback } from './settings.ts'

/** Where systems keep all that they trust; the first that is there counts. */
const systemFiles = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
]

/** What a connection to the host trusts and shows. */
export function certificatesFor(
  name: string,
  { hosts, certificateFolders = [], systemCertificates }: RegistrySettings,
): SecureContextOptions {
  const { ca, client } = hosts?.[name] ?? {}
  const kept = certificateFolders.map((folder) => filesOf(join(folder, name)))
  const own = [...(ca === undefined ? [] : [ca]), ...kept.flatMap((files) => textsOf(files, '.crt'))]
  // A registry of this machine has no certificate that others vouch for, and reading all of the system's takes a while.
  const usual = isLoopback(name) ? [] : systemTexts(systemCertificates)
  const shown = client
    ? { cert: client.certificate, key: client.key.reveal() }
    : kept.map(pairOf).find(Boolean)
  return {
    ...(own.length + usual.length === 0 ? {} : { ca: [...rootCertificates, ...usual, ...own] }),
    ...shown,
  }
}

function systemTexts(named: string | undefined): readonly string[] {
  for (const path of named === undefined ? systemFiles : [named]) {
    const text = textAt(path)
    if (text !== undefined) return [text]
  }
  return []
}

/** Certificate and key of one name. A half of them is a mistake, as it is to the tools whose folders these are. Problems: registry.configuration-invalid. */
function pairOf(
  files: ReadonlyMap<string, string>,
): { readonly cert: string; readonly key: string } | undefined {
  for (const [name, path] of files) {
    const other = /\.cert$/.test(name) ? name.replace(/cert$/, 'key') : name.replace(/\.key$/, '.cert')
    if (other !== name && !files.has(other))
      fail('registry.configuration-invalid', `${other} is missing beside it`, {
        where: { source: path },
        hint: 'Put a client certificate (.cert) and its key (.key) there under one name; authorities to trust end in .crt.',
      })
  }
  for (const [name, path] of files) {
    const beside = name.endsWith('.cert') ? files.get(name.replace(/cert$/, 'key')) : undefined
    const [cert, key] = beside === undefined ? [] : [textAt(path), textAt(beside)]
    if (cert !== undefined && key !== undefined) return { cert, key }
  }
  return undefined
}

function textsOf(files: ReadonlyMap<string, string>, ending: string): readonly string[] {
  return [...files].flatMap(([name, path]) => (name.endsWith(ending) ? (textAt(path) ?? []) : []))
}

function filesOf(folder: string): ReadonlyMap<string, string> {
  try {
    return new Map(
      readdirSync(folder)
        .sort()
        .map((name) => [name, join(folder, name)]),
    )
  } catch {
    // Most hosts have none.
    return new Map()
  }
}

function textAt(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // What the caller may not read it cannot use, as with the tools whose folders these are.
    return undefined
  }
}
