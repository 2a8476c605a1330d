/** PEM blocks with their headers. */

export interface PemBlock {
  readonly label: string
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Uint8Array
}

const block = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n([^-]*(?:-(?!----)[^-]*)*)-----END \1-----/g

/** All blocks of a text; what is around them is ignored. */
export function readPem(text: string): readonly PemBlock[] {
  return [...text.matchAll(block)].map(([, label = '', inner = '']) => {
    const lines = inner.split(/\r?\n/)
    const headers = lines.flatMap((line): readonly [string, string][] => {
      const colon = line.indexOf(':')
      return colon < 0 ? [] : [[line.slice(0, colon).trim(), line.slice(colon + 1).trim()]]
    })
    const body = lines.filter((line) => !line.includes(':')).join('')
    return { label, headers: Object.fromEntries(headers), bytes: Buffer.from(body, 'base64') }
  })
}

/** One block as text. */
export function writePem({ label, headers, bytes }: PemBlock): string {
  const names = Object.entries(headers).map(([key, value]) => `${key}: ${value}\n`)
  const head = names.length === 0 ? '' : `${names.join('')}\n`
  const lines =
    Buffer.from(bytes)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return `-----BEGIN ${label}-----\n${head}${lines.map((line) => `${line}\n`).join('')}-----END ${label}-----\n`
}
