/** The words of certificate specifications: usages and dates. */
import { failure } from '../issue.ts'

/** Names of the original, bits of the key usage extension. */
const bits: readonly (readonly [string, string, number])[] = [
  ['Signature', 'Signature', 1],
  ['Commitment', 'ContentCommitment', 2],
  ['ContentCommitment', 'ContentCommitment', 2],
  ['KeyEncipherment', 'KeyEncipherment', 4],
  ['DataEncipherment', 'DataEncipherment', 8],
  ['KeyAgreement', 'KeyAgreement', 16],
  ['CertSign', 'CertSign', 32],
  ['CRLSign', 'CRLSign', 64],
  ['EncipherOnly', 'EncipherOnly', 128],
  ['DecipherOnly', 'DecipherOnly', 256],
]

const extended: readonly (readonly [string, string])[] = [
  ['Any', '2.5.29.37.0'],
  ['ServerAuth', '1.3.6.1.5.5.7.3.1'],
  ['ClientAuth', '1.3.6.1.5.5.7.3.2'],
  ['CodeSigning', '1.3.6.1.5.5.7.3.3'],
  ['EmailProtection', '1.3.6.1.5.5.7.3.4'],
  ['IPSecEndSystem', '1.3.6.1.5.5.7.3.5'],
  ['IPSecTunnel', '1.3.6.1.5.5.7.3.6'],
  ['IPSecUser', '1.3.6.1.5.5.7.3.7'],
  ['TimeStamping', '1.3.6.1.5.5.7.3.8'],
  ['OCSPSigning', '1.3.6.1.5.5.7.3.9'],
  ['MicrosoftServerGatedCrypto', '1.3.6.1.4.1.311.10.3.3'],
  ['NetscapeServerGatedCrypto', '2.16.840.1.113730.4.1'],
  ['MicrosoftCommercialCodeSigning', '1.3.6.1.4.1.311.2.1.22'],
  ['MicrosoftKernelCodeSigning', '1.3.6.1.4.1.311.61.1.1'],
]

const certSign = 32

/** Usages by name, in any letter case; an authority may sign certificates, and the other way round. */
export function readUsage(
  names: readonly string[],
  isCA: boolean,
): { usageBits: number; extendedUsage: readonly string[]; isCA: boolean } {
  let usageBits = isCA ? certSign : 0
  const extendedUsage: string[] = []
  for (const name of names) {
    const same = ([known]: readonly [string, ...unknown[]]): boolean =>
      known.toLowerCase() === name.toLowerCase()
    const bit = bits.find(same)
    const id = extended.find(same)
    if (bit !== undefined) usageBits |= bit[2]
    else if (id !== undefined) extendedUsage.push(id[1])
    else return failure(`invalid usage key "${name}"`)
  }
  return { usageBits, extendedUsage, isCA: isCA || (usageBits & certSign) !== 0 }
}

/** The names of usages, as the original prints them. */
export function usageNames(usageBits: number, ids: readonly string[]): readonly string[] {
  const named = new Set(bits.filter(([, , bit]) => (usageBits & bit) !== 0).map(([, shown]) => shown))
  return [...named, ...ids.flatMap((id) => extended.find(([, known]) => known === id)?.[0] ?? [])]
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** `Jan 2 15:04:05 2006`, in universal time. */
export function goDate(date: Date): string {
  const two = (part: number): string => String(part).padStart(2, '0')
  const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`
  return `${months[date.getUTCMonth()]} ${date.getUTCDate()} ${time} ${date.getUTCFullYear()}`
}

export function parseGoDate(text: string): Date | undefined {
  const found = /^([A-Z][a-z]{2}) +([0-9]{1,2}) ([0-9]{2}):([0-9]{2}):([0-9]{2}) ([0-9]{4})$/.exec(text)
  if (found === null) return undefined
  const [, name = '', ...rest] = found
  const [day = 0, hour = 0, minute = 0, second = 0, year = 0] = rest.map(Number)
  const month = months.indexOf(name)
  return month < 0 ? undefined : new Date(Date.UTC(year, month, day, hour, minute, second))
}
