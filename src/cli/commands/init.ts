/** chandler init: a commented starter configuration with fresh passwords. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { systemChance } from '../../kit/clock.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { type Form, printDeed, withOutput } from '../output.ts'
import { shellPath } from '../write-files.ts'

export function register(program: Command): void {
  const command = add(program, {
    usage: 'init [folder]',
    summary: 'Write a commented starter configuration',
    description:
      'Writes chandler.yml with comments, and two password files beside it that only you can read. Nothing that exists is overwritten.',
    examples: ['init', 'init /etc/chandler', 'init && chandler serve --config chandler.yml'],
  })
  withOutput(command).action(async (folder = '.', { output }: { readonly output: Form }) => {
    const place = resolve(folder)
    mkdirSync(place, { recursive: true })
    const file = join(place, 'chandler.yml')
    if (existsSync(file)) {
      fail('file.unwritable', `${file} exists`, { hint: 'Choose another folder, or remove the file first.' })
    }
    const secrets = join(place, 'secrets')
    mkdirSync(secrets, { recursive: true, mode: 0o700 })
    for (const user of ['platform', 'admin']) writePassword(join(secrets, user))
    writeFileSync(file, starter)
    const serve = `chandler serve --config ${shellPath(file)}`
    const login = `chandler login http://127.0.0.1:8080 --user admin --password-file ${shellPath(join(secrets, 'admin'))}`
    await printDeed(output, {
      kind: 'Configuration',
      value: { file, secrets, next: [serve, login] },
      name: file,
      sentences: [
        `Wrote ${file} and passwords in ${secrets}.`,
        `Start the broker:  ${serve}`,
        `Then log in:       ${login}`,
      ],
    })
  })
}

function writePassword(file: string): void {
  if (existsSync(file)) return
  writeFileSync(file, `${Buffer.from(systemChance.bytes(24)).toString('base64url')}\n`, { mode: 0o600 })
}

/** What `init` writes; every setting is listed in docs/settings.md. */
export const starter = `# Configuration of Chandler. Every setting: chandler config show --defaults, or docs/settings.md.
# Check it: chandler config validate --config chandler.yml

http:
  # Open Service Broker API at /v2, operator API at /api/v1. Use 0.0.0.0 to be reached from elsewhere.
  listen: 127.0.0.1:8080
  # Health and metrics; keep it away from the outside.
  adminListen: 127.0.0.1:9090
  # tls: {certificateFile: ./tls.crt, keyFile: ./tls.key}

# Images, keys and the SQLite file. Relative paths are relative to this file.
dataDir: ./data

store:
  # sqlite for one process; postgres://user@host/database for several.
  url: sqlite

# secrets:
#   # The keys that seal what is secret; made in dataDir at the first start. With PostgreSQL say where: every broker needs the same file.
#   keyring: ./keys.json

# Where packages run: docker or embedded; auto finds out.
engine: auto

auth:
  users:
    # A platform (Cloud Foundry, a Kubernetes catalog) uses the Open Service Broker API only, and sees its own instances.
    - {name: platform, password_file: ./secrets/platform, role: platform}
    # An operator may do everything; a viewer may look.
    - {name: admin, password_file: ./secrets/admin, role: operator}

# What is offered. A package is an image, a brokerpak, a CNAB bundle, a TOI package, or sim: for trying things out.
catalog:
  - package: sim:demo
    service:
      name: demo
      description: Pretends to be a service, for trying a platform.
    plans:
      - name: small
        from: default
        description: Ready after a moment.
        # inputs: {memory: 256}       fixed by you
        # defaults: {replicas: 1}     users may override
        # allow: [replicas]           what users may set; everything that is not fixed when absent
        # limit: 10                   how many instances there may be
`
