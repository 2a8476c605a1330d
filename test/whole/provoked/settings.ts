/** Mistakes in a configuration, as its writer makes them, told by the command that validates it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ProblemCode } from '../../../src/model/problem-codes.ts'
import { freshFolder } from '../../support/image.ts'
import { runMain } from '../../support/run-main.ts'
import { type Ground, toldByCommand } from '../../support/told.ts'

const file = join(freshFolder('mistakes'), 'chandler.yml')
const account = '\nauth: {users: [{name: admin, password: secret-of-admin, role: operator}]}\n'
const users = (text: string): string => `auth:\n  users:\n    - ${text}\n`
const entry = (text: string): string => `catalog:\n  - ${text}\n`

/** A mistake in lines without accounts is one of a configuration that has them. */
const mistakes: readonly (readonly [text: string, line: number, told: string])[] = [
  ['\tdataDir: x', 1, 'Tabs are not allowed as indentation'],
  ['- a: 1\nb: 2', 2, 'Unexpected scalar at node end'],
  ['a: *b', 1, 'Unresolved alias'],
  ['dataDir: "\\xZZ"', 1, 'Invalid escape sequence'],
  ['dataDir: a\ndataDir: b', 2, 'Map keys must be unique'],
  ['- a', 1, 'must be a map'],
  ['dataDirs: ./x', 1, '"dataDirs" is no setting here; did you mean dataDir?'],
  ['http: {listn: "127.0.0.1:1"}', 1, '"listn" is no setting here; did you mean listen?'],
  ['http: {listen: localhost}', 1, 'must look like host:port, not "localhost"'],
  ['http: {listen: "127.0.0.1:99999"}', 1, 'must look like host:port, not "127.0.0.1:99999"'],
  ['http: {adminListen: "127.0.0.1:65536"}', 1, 'must look like host:port | off'],
  ['http: {pathPrefix: below}', 1, 'must look like /path, not "below"'],
  ['http: {bodyLimit: 3 apples}', 1, 'must be a size such as 64KiB, 10MiB or 1GB, not "3 apples"'],
  ['http: {trustedProxies: everyone}', 1, 'must be a list of texts, not "everyone"'],
  ['http: {trustedProxies: [10.0.0.0/8, everyone]}', 1, 'has "everyone", which is no address or network'],
  ['http: {trustedProxies: [10.0.0.0/33]}', 1, 'has "10.0.0.0/33", which is no address or network'],
  ['http: {trustedProxies: ["::1/64/2"]}', 1, 'has "::1/64/2", which is no address or network'],
  ['http: {tls: {certificateFile: a.pem}}', 1, 'http.tls needs both certificateFile and keyFile'],
  ['engine: docker2', 1, 'must be one of auto, embedded, docker, kubernetes, not "docker2"'],
  ['operations: {concurrency: many}', 1, 'must be a whole number, not "many"'],
  ['operations: {concurrency: -1}', 1, 'must be at least 0, not -1'],
  ['operations: {deadline: {provision: soon}}', 1, 'must be a duration such as 250ms, 30s, 5m, 2h or 7d'],
  ['operations: {lease: 9s, heartbeat: 5s}', 1, 'must be at most a third of operations.lease'],
  ['quotas: {instancesPerPlatform: -1}', 1, 'must be at least 0, not -1'],
  ['retention: {logs: -3d}', 1, 'must be a duration'],
  ['store: {url: "mysql://x"}', 1, 'must look like sqlite | sqlite:PATH | postgres://…, not "mysql://x"'],
  ['store: {url: "postgres://db/x"}', 1, 'secrets.keyring is required with PostgreSQL'],
  ['registries: {hosts: [{host: "https://r.example"}]}', 1, 'must look like host:port'],
  ['registries: {hosts: [{host: r.example/team}]}', 1, 'must look like host:port'],
  [
    'registries: {hosts: [{host: r.example, certificateFile: c}]}',
    1,
    'needs both certificateFile and keyFile',
  ],
  ['tenants: [{name: a}, {name: a}]', 1, 'tenants has "a" twice'],
  ['tenants: [{name: a, engine: lorry}]', 1, 'must look like embedded | docker | kubernetes'],
  ['sandbox: {registries: r.example}', 1, 'must be a list of texts'],
  [entry('service: {name: x}'), 1, 'catalog[0] names either a package or a source'],
  [entry('{package: "sim:x", servise: {}}'), 2, '"servise" is no setting here; did you mean service?'],
  [entry('{package: "sim:x", plans: [{from: default}]}'), 2, 'catalog[0].plans[0].name is required'],
  [entry('{package: "sim:x", infrastructure: [{name: "", value: x}]}'), 2, 'must not be empty'],
  [entry('{package: "sim:x", visibleTo: all}'), 2, 'must be a list of texts, not "all"'],
  [
    entry('{package: "sim:x", lend: ["db:5432"]}'),
    2,
    'each must look like address:port or name=address:port',
  ],
  [entry('{package: "sim:x", contract: brokerpk}'), 2, 'sim, toi, tweed, not "brokerpk"'],
  [entry('package: docker:redis'), 2, 'the transport "docker" is not known'],
  [entry('package: docker://r.example/x@sha256:12'), 2, '"sha256:12" is not a digest'],
  [entry('source: {name: a, url: "ftp://r.example"}'), 2, 'has the scheme "ftp"; http and https are known'],
  [entry('source: {name: a, url: "r.example /x"}'), 2, 'has blanks in it'],
  [entry('source: {name: a, url: "https://"}'), 2, 'names no host'],
  [entry('source: {name: a, url: "r.example:port"}'), 2, 'names "r.example:port", which is no host'],
  [entry('source: {name: a, url: "https://u:secret-of-u@r.example"}'), 2, 'holds a user or password'],
  [entry('source: {name: a, url: r.example/team}'), 1, 'has the path /team in source.url'],
  [entry('package: ./nowhere'), 2, 'nowhere does not exist'],
  [users('{name: a, password: secret-of-a, role: king}'), 2, 'has the role king, and there is none; known: '],
  [users('{name: a, role: viewer}'), 2, 'has neither password nor token nor certificate'],
  [users('{name: a, password: "", role: viewer}'), 3, 'must be a text that is not empty'],
  [users('{name: a, password: x, password_file: y, role: viewer}'), 3, 'is given twice'],
  [users('{name: a, password_file: nowhere, role: viewer}'), 3, 'there is no such file'],
  [
    users(
      '{name: a, password: secret-of-a, role: viewer}\n    - {name: a, password: secret-of-b, role: viewer}',
    ),
    2,
    'auth.users has "a" twice',
  ],
  [users('{name: a, certificate: CN=a, role: viewer}'), 2, 'http.tls.clientCaFile says no authority'],
  ['auth: {roles: [{name: x, permissions: ["fly:planes"]}]}', 1, '"fly:planes", which is no permission'],
  ['auth: {roles: [{name: x, permissions: ["read:instance"]}]}', 1, 'did you mean read:instances?'],
  ['auth: {roles: [{name: viewer, permissions: []}]}', 1, 'the role viewer is always there'],
  ['auth: {oidc: {issuer: "http://id.example"}}', 1, 'must look like https://…'],
  ['auth: {oidc: {issuer: "https://id.example"}}', 1, 'auth.oidc has an issuer and no clientId'],
]

/** The few that are not faults of the configuration itself. */
function codeOf(told: string): ProblemCode {
  if (told === 'there is no such file') return 'file.unreadable'
  return told.endsWith('does not exist') ? 'artifact.not-found' : 'settings.invalid'
}

export const ofSettings: Ground = {
  errors: mistakes.map(([text, line, told]) => ({
    name: text,
    code: codeOf(told),
    names: [`${file} line ${line}`, told],
    provoke: async () => {
      writeFileSync(file, /^(?:-|auth:)/.test(text) ? text : `${text}${account}`)
      const { exit, said } = await runMain(['config', 'validate', '--config', file])
      return { told: toldByCommand(said), ending: exit }
    },
  })),
  open: () => Promise.resolve(),
  close: () => Promise.resolve(),
}
