/** Bundles for tests: an invocation image of busybox with a run tool, its bundle.json, and archives of both. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from '../../src/kit/json.ts'
import { busyboxImage, type TestImage } from '../support/busybox.ts'

/** Says what it is told, writes an output per action, and fails or waits when it is asked to. */
const runTool = `#!/bin/sh
set -eu
echo "$CNAB_ACTION of $CNAB_INSTALLATION_NAME: port=$PORT"
echo "a word on standard error" >&2
case "$CNAB_ACTION" in
  status) echo '{"status":"Ready"}' > /cnab/app/outputs/status; exit 0 ;;
  help) echo "no help"; exit 0 ;;
esac
test -z "\${ONLY:-}" || echo "only $ONLY"
echo "token is $TOKEN"
test "$(cat /etc/app/token)" = "$TOKEN"
printf '%s' "http://$CNAB_INSTALLATION_NAME:$PORT" > /cnab/app/outputs/url
printf '\\000\\377%s' "$CNAB_ACTION" > /cnab/app/outputs/state
if [ "\${FAIL:-}" = true ]; then echo "told to fail" >&2; exit 7; fi
if [ -f /cnab/app/relocation-mapping.json ]; then echo "relocated"; fi
if [ "$WAIT" != 0 ]; then
  trap 'exit 143' TERM
  echo waiting
  sleep "$WAIT" &
  wait $!
fi
`

/** The name by which the bundle calls its invocation image. */
export const installer = 'chandler.example/tests/hello-installer:1.0.0'

/** A bundle with something of everything. */
export function helloBundle(change: JsonObject = {}): JsonObject {
  return {
    schemaVersion: '1.2.0',
    name: 'hello',
    version: '1.0.0',
    description: 'Says hello.',
    invocationImages: [{ image: installer, imageType: 'oci' }],
    definitions: {
      port: { type: 'integer', default: 8080, minimum: 1, maximum: 65_535 },
      flag: { type: 'boolean', default: false },
      count: { type: 'integer', default: 0 },
      text: { type: 'string' },
      word: { type: 'string', default: '' },
      secret: { type: 'string', writeOnly: true },
      bytes: { type: 'string', contentEncoding: 'base64', default: '' },
      status: { type: 'object' },
    },
    parameters: {
      port: { definition: 'port', destination: { env: 'PORT' } },
      fail: { definition: 'flag', destination: { env: 'FAIL' } },
      wait: { definition: 'count', destination: { env: 'WAIT' } },
      only: { definition: 'word', destination: { env: 'ONLY' }, applyTo: ['install', 'upgrade'] },
    },
    credentials: {
      token: {
        env: 'TOKEN',
        path: '/etc/app/token',
        required: true,
        applyTo: ['install', 'upgrade', 'uninstall', 'tune'],
      },
    },
    outputs: {
      url: { definition: 'text', path: '/cnab/app/outputs/url', applyTo: ['install', 'upgrade'] },
      state: { definition: 'bytes', path: '/cnab/app/outputs/state' },
      status: { definition: 'status', path: '/cnab/app/outputs/status', applyTo: ['status'] },
    },
    actions: {
      status: { title: 'Status', description: 'How it is.' },
      help: { description: 'Some help.', stateless: true },
      tune: { description: 'Changes something.', modifies: true },
    },
    ...change,
  }
}

export interface HelloBundle {
  readonly image: TestImage
  /** Path of the bundle.json. */
  readonly file: string
}

/** Builds the image into a layout below the folder, and writes the bundle.json beside it; needs busybox. */
export async function writeHello(folder: string, change: JsonObject = {}): Promise<HelloBundle> {
  const image = await busyboxImage(folder, 'hello', {
    tree: { 'cnab/app/run': { bytes: runTool, mode: 0o755 }, 'etc/app': { folder: true, mode: 0o755 } },
  })
  const file = join(folder, 'bundle.json')
  writeFileSync(file, JSON.stringify(helloBundle(change), null, 2))
  return { image, file }
}
