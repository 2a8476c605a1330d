/** Entries of a transparency log (Rekor): the log's own signature says when something was signed. */
import { verify, type X509Certificate } from 'node:crypto'
import { at, canonical, type Json } from '../../kit/json.ts'
import { hash, keysOf } from './keys.ts'

export interface LogEntry {
  /** Base64, as the log signed it. */
  readonly body: string
  /** Seconds since 1970. */
  readonly integratedTime: number
  readonly logIndex: number
  /** Hexadecimal. */
  readonly logId: string
  /** Base64. */
  readonly signedEntryTimestamp: string
}

export type LogVerdict =
  | { readonly kind: 'time'; readonly at: number }
  | { readonly kind: 'refused'; readonly fault: string }

/** When the log saw this very signature, in milliseconds since 1970. */
export function timeOfEntry(
  entry: LogEntry,
  logKeys: readonly string[],
  of: { readonly data: Uint8Array; readonly value: Uint8Array; readonly certificate: X509Certificate },
): LogVerdict {
  const { body, integratedTime, logIndex, logId: logID, signedEntryTimestamp } = entry
  const signed = Buffer.from(canonical({ body, integratedTime, logID, logIndex }))
  const promise = Buffer.from(signedEntryTimestamp, 'base64')
  const isOfLog = logKeys
    .flatMap(keysOf)
    .some((key) => key.asymmetricKeyType === 'ec' && verify('sha256', signed, key, promise))
  if (!isOfLog)
    return { kind: 'refused', fault: 'its entry of the transparency log is not signed by the log' }
  return isEntryOf(body, of)
    ? { kind: 'time', at: integratedTime * 1000 }
    : { kind: 'refused', fault: 'its entry of the transparency log is of another signature' }
}

interface Signed {
  readonly data: Uint8Array
  readonly value: Uint8Array
  readonly certificate: X509Certificate
}

function isEntryOf(body: string, { data, value, certificate }: Signed): boolean {
  const entry = parsed(body)
  const spec = at(entry, '/spec')
  const same = (found: unknown, wanted: Uint8Array): boolean =>
    typeof found === 'string' && Buffer.from(found, 'base64').equals(wanted)
  const isSigner = (found: unknown): boolean =>
    typeof found === 'string' &&
    Buffer.from(found, 'base64').toString().replaceAll(/\s/g, '') ===
      certificate.toString().replaceAll(/\s/g, '')
  switch (at(entry, '/kind')) {
    case 'hashedrekord':
      return (
        at(spec, '/data/hash/value') === hash('sha256', data) &&
        same(at(spec, '/signature/content'), value) &&
        isSigner(at(spec, '/signature/publicKey/content'))
      )
    case 'dsse':
      // The log keeps the hash of the payload, which the signed bytes hold behind their header.
      return same(at(spec, '/signatures/0/signature'), value) && isSigner(at(spec, '/signatures/0/verifier'))
    default:
      return false
  }
}

function parsed(body: string): Json | undefined {
  try {
    return JSON.parse(Buffer.from(body, 'base64').toString()) as Json
  } catch {
    return undefined
  }
}
