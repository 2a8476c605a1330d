/** What the judges of the CNAB tables share: reading a table, comparing, bundles made of a fragment. */
import { readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import type { Bundle } from '../../../src/contracts/cnab/bundle.ts'
import { readBundle } from '../../../src/contracts/cnab/format.ts'
import { parseJson } from '../../../src/kit/exact.ts'
import { deepEqual, type Json, type JsonObject } from '../../../src/kit/json.ts'
import type { Verdict } from '../topic.ts'

// biome-ignore lint: rows of tables are looked into freely
export type Row = any

export function load(file: string): Row {
  return parseJson(readFileSync(file, 'utf8'))
}

/** The corpus that a table belongs to. */
export function corpusOf(file: string): string {
  return dirname(dirname(file))
}

export function compare(file: string, name: string, wanted: unknown, got: unknown): Verdict {
  const title = `${basename(file)} ${name}`
  if (deepEqual(wanted, got)) return { name: title, outcome: 'passed' }
  const why = `want ${JSON.stringify(wanted)}\ngot  ${JSON.stringify(got)}`
  return { name: title, outcome: 'failed', why: why.slice(0, 3000) }
}

const base: JsonObject = {
  schemaVersion: 'v1.2.0',
  name: 'helloworld',
  version: '0.1.2',
  description: 't',
  invocationImages: [{ image: 'example/helloworld:0.1.0', imageType: 'docker' }],
}

export function bytesOf(value: Json): Uint8Array {
  return Buffer.from(JSON.stringify(value))
}

/** A fragment made whole and read. */
export function bundleWith(fragment: JsonObject) {
  return readBundle(bytesOf({ ...base, ...fragment }))
}

/** The same where it must be readable. */
export function bundleOf(fragment: JsonObject): Bundle {
  const reading = bundleWith(fragment)
  if (reading.kind === 'refused') throw new Error(JSON.stringify(reading.problems))
  return reading.bundle
}
