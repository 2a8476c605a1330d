/** An engine that runs the real one and then prints what stood in its workspace, since nobody outside may look there. */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isEmpty, readState } from '../../src/contracts/brokerpak/state.ts'
import { parseJson } from '../../src/kit/exact.ts'
import type { Json, JsonObject } from '../../src/kit/json.ts'

/** Puts it before the real one on the path until the returned function is called. */
export function putTelltale(program: string, home: string): () => void {
  const folder = join(home, 'telltale')
  const real = realpathSync(
    spawnSync('sh', ['-c', `command -v ${program}`])
      .stdout.toString()
      .trim(),
  )
  mkdirSync(folder)
  writeFileSync(join(folder, program), scriptOf(real))
  chmodSync(join(folder, program), 0o755)
  const before = process.env['PATH'] ?? ''
  process.env['PATH'] = `${folder}:${before}`
  return () => {
    process.env['PATH'] = before
  }
}

/** Octal digits: the broker takes secrets out of its logs, also where they are written in base64 or hexadecimal. */
function scriptOf(real: string): string {
  return `#!/bin/sh
${real} "$@"
status=$?
digits() { od -An -v -to1 | tr -d ' \\n'; }
case $1 in
apply|destroy|import)
  echo "telltale words $(echo "$*" | digits)"
  for file in terraform.tfvars.json terraform.tfstate main.tf; do
    [ ! -f $file ] || echo "telltale $file $(digits <$file)"
  done
esac
exit $status
`
}

/** What it printed during one operation. */
export interface Told {
  /** Each call, and each version of a file, in order. */
  readonly words: readonly string[]
  readonly files: Readonly<Record<string, readonly string[]>>
}

export function toldIn(log: string): Told {
  const words: string[] = []
  const files: Record<string, string[]> = {}
  for (const [, name = '', text = ''] of log.matchAll(/^telltale (\S+) (\S*)$/gm)) {
    const content = Buffer.from(
      (text.match(/.{3}/g) ?? []).map((byte) => Number.parseInt(byte, 8)),
    ).toString()
    if (name === 'words') words.push(content.trim())
    else files[name] = [...(files[name] ?? []), content]
  }
  return { words, files }
}

/** What the workspace should have been and was not. */
export function workspaceFaults(
  expect: JsonObject,
  log: string,
  fits: (wanted: Json, got: Json) => boolean,
): readonly string[] {
  const { words, files } = toldIn(log)
  const faults: string[] = []
  const given = (at: number): JsonObject =>
    parseJson(files['terraform.tfvars.json']?.at(at) ?? '{}') as JsonObject
  for (const [name, value] of Object.entries((expect['variables'] ?? {}) as JsonObject)) {
    const got = given(0)[name]
    // What templates do not declare is not handed over.
    if (got !== undefined && !fits(value, got))
      faults.push(`variable ${name}: want ${JSON.stringify(value)}, got ${JSON.stringify(got)}`)
  }
  for (const [address, id] of (expect['import'] ?? []) as readonly (readonly [string, string])[]) {
    if (!words.some((line) => line.endsWith(` ${address} ${id}`)))
      faults.push(`${address} ${id} was not imported`)
  }
  const state = files['terraform.tfstate']?.at(-1)
  if (expect['empty_state'] === true && state !== undefined && !isEmpty(readState(Buffer.from(state))))
    faults.push('the state is not empty')
  const stored = expect['stored_configuration']
  if (stored !== undefined && !fits(stored, given(-1)))
    faults.push(`configuration: ${JSON.stringify(given(-1))}`)
  const main = expect['stored_main_contains']
  if (main !== undefined && !files['main.tf']?.at(-1)?.includes(String(main)))
    faults.push(`main.tf: ${JSON.stringify(main)} is not in it`)
  for (const one of [expect['log_contains'] ?? []].flat()) {
    // What the operator lends is secret, and taken out of the log.
    const words = String(one).replace(/\bmark-\d+\b/g, '[redacted]')
    if (!log.includes(words)) faults.push(`log: ${JSON.stringify(words)} is not in it`)
  }
  return faults
}
