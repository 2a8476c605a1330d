/** How fast a log passes the mask of a thousand secrets, against the same log through a plain pipe. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Mask, maskOf } from '../../src/kit/redact.ts'
import { median, show } from '../figures.ts'

const megabyte = 1024 * 1024
const logBytes = 100 * megabyte
const rounds = 5

/** Sizes from 16 bytes to a megabyte, as many of each order; every fourth is a text of lines. */
function secretsFor(count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const size = index === 0 ? megabyte : Math.round(16 * 65_536 ** (index / count))
    const text = noise(`secret ${index}`, size)
    return index % 4 === 0 ? text.replace(/.{64}/g, '$&\n') : text
  })
}

/** Base64 text that is the same in every run. */
function noise(seed: string, length: number): string {
  let text = ''
  for (let round = 0; text.length < length; round++)
    text += createHash('sha512').update(`${seed} ${round}`).digest('base64').slice(0, 86)
  return text.slice(0, length)
}

/** Lines as programs write them; a secret, whole or in Base64, about every 256 KiB. */
function logWith(secrets: readonly string[]): Buffer {
  const pieces: string[] = []
  let size = 0
  for (let line = 0; size < logBytes; line++) {
    const name = noise(`line ${line % 5000}`, 12)
    let text = `2026-01-01T00:00:${line % 60}Z module.database.cloud_instance.main["${name}"]: Still creating... [${line}s elapsed, id=${name}]\n`
    if (line % 2000 === 1999) {
      const secret = secrets[line % secrets.length] ?? ''
      text = `token: ${line % 4000 === 3999 ? Buffer.from(secret).toString('base64') : secret}\n`
    }
    pieces.push(text)
    size += text.length
  }
  return Buffer.from(pieces.join('')).subarray(0, logBytes)
}

/** Megabytes a second of a file that comes through a pipe. */
async function rate(file: string, take: (bytes: Uint8Array) => unknown): Promise<number> {
  const begun = performance.now()
  const child = spawn('cat', [file], { stdio: ['ignore', 'pipe', 'inherit'] })
  let bytes = 0
  for await (const piece of child.stdout) {
    take(piece as Buffer)
    bytes += (piece as Buffer).length
  }
  return bytes / megabyte / ((performance.now() - begun) / 1000)
}

export async function bench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-bench-'))
  try {
    const file = join(folder, 'log')
    for (const count of [10, 1000]) {
      const secrets = secretsFor(count)
      writeFileSync(file, logWith(secrets))
      const begun = performance.now()
      const mask = maskOf(secrets)
      const made = performance.now() - begun
      const size = secrets.reduce((sum, { length }) => sum + length, 0) / megabyte
      console.log(`a mask of ${count} secrets, ${size.toFixed(1)} MiB: made in ${made.toFixed(0)} ms`)
      await compare(`a log of 100 MiB, ${count} secrets`, file, mask)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function compare(name: string, file: string, mask: Mask): Promise<void> {
  const plain: number[] = []
  const masked: number[] = []
  for (let round = 0; round < rounds; round++) {
    plain.push(await rate(file, () => undefined))
    const one = mask.open()
    masked.push(await rate(file, (bytes) => one.push(bytes)))
  }
  show([{ name, ours: median(masked), floor: median(plain), unit: 'MiB/s', goal: { atLeast: 0.5 } }])
}
