/** What `chandler cnab init` writes: a bundle that needs nothing but a shell, ready to be installed. */
import type { StartingFile } from '../write-files.ts'

const run = `#!/bin/sh
# The run tool: told what to do by CNAB_ACTION, it writes what it hands out below /cnab/app/outputs.
set -eu
echo "$CNAB_ACTION of $CNAB_INSTALLATION_NAME"
case "$CNAB_ACTION" in
  install | upgrade)
    printf 'greet://%s/%s' "$CNAB_INSTALLATION_NAME" "$GREETING" > /cnab/app/outputs/uri ;;
  uninstall)
    echo "nothing is left" ;;
  status)
    echo "greets with $GREETING" ;;
esac
`

const bundle = (name: string) => ({
  schemaVersion: '1.2.0',
  name,
  version: '0.1.0',
  description: 'Greets.',
  invocationImages: [{ image: startingImage(name) }],
  definitions: {
    greeting: { type: 'string', default: 'hello', maxLength: 10 },
    uri: { type: 'string' },
  },
  parameters: { greeting: { definition: 'greeting', destination: { env: 'GREETING' } } },
  outputs: {
    uri: { definition: 'uri', path: '/cnab/app/outputs/uri', applyTo: ['install', 'upgrade'] },
  },
  actions: { status: { title: 'Status', description: 'Says how it greets.' } },
})

/** How a bundle of that name calls its image. */
export function startingImage(name: string): string {
  return `example.com/${name}-installer:0.1.0`
}

/** A bundle of that name. */
export function startingBundle(name: string): readonly StartingFile[] {
  return [
    { path: 'bundle.json', text: `${JSON.stringify(bundle(name), null, 2)}\n` },
    {
      path: 'image.yml',
      text: '# The image: what lies in "root", and these programs of this machine.\ntools: [sh]\n',
    },
    { path: 'root/cnab/app/run', text: run, executable: true },
  ]
}
