/** Whose certificates a command takes: those that Node knows, those of the machine, and those of `--ca-file`. */
import { readFileSync } from 'node:fs'
import { fail } from '../model/problem.ts'

/** Takes effect for every connection of this process. Problems: file.unreadable, usage.invalid. */
export async function trust(url: string, caFile: string | undefined): Promise<void> {
  // Reading what the machine trusts takes a tenth of a second.
  if (!url.startsWith('https:')) return
  const { getCACertificates, setDefaultCACertificates } = await import('node:tls')
  const given = caFile === undefined ? [] : certificatesIn(caFile)
  setDefaultCACertificates([...getCACertificates('default'), ...getCACertificates('system'), ...given])
}

const certificate = /-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g

function certificatesIn(file: string): readonly string[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', file, { cause })
  }
  return text.match(certificate) ?? fail('usage.invalid', `${file} holds no certificate as PEM`)
}
