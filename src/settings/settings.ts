/** Every setting: its name, kind, default and meaning. Parsing, documentation and `config show` come from here. */
import { authSettings } from './auth-settings.ts'
import { catalogSettings } from './catalog-settings.ts'
import {
  choice,
  duration,
  flag,
  group,
  integer,
  optional,
  path,
  size,
  text,
  texts,
  type ValueOf,
} from './kinds.ts'
import { kubernetesSettings } from './kubernetes-settings.ts'
import { limitSettings, quotaSettings, retentionSettings } from './limit-settings.ts'
import { operationSettings } from './operation-settings.ts'
import { registrySettings } from './registry-settings.ts'
import { sandboxSettings } from './sandbox-settings.ts'
import { tenantSettings } from './tenant-settings.ts'

const port = '(?:\\d{1,4}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])'
const host = '(?:\\[[0-9a-fA-F:.]+\\]|[^\\s:/]+)'

const http = group('Where the broker listens and what it takes from the network.', {
  listen: text({
    doc: 'Address of the Open Service Broker API and the operator API.',
    fallback: '127.0.0.1:8080',
    pattern: new RegExp(`^${host}:${port}$`),
    written: 'host:port',
  }),
  adminListen: text({
    doc: 'Address of health, metrics and diagnostics; `off` serves health on the main address, without reasons.',
    fallback: '127.0.0.1:9090',
    pattern: new RegExp(`^off$|^${host}:${port}$`),
    written: 'host:port | off',
  }),
  pathPrefix: optional(
    text({
      doc: 'Path under which platforms know the broker; what comes without it is served, too.',
      pattern: /^(?:\/[A-Za-z0-9._~-]+)+$/,
      written: '/path',
    }),
  ),
  trustedProxies: texts({
    doc: 'Addresses or networks whose `X-Forwarded-*` headers count.',
    fallback: [],
    reload: true,
  }),
  bodyLimit: size({ doc: 'Largest request body.', fallback: '1MiB' }),
  dashboards: flag({
    doc: 'Whether `/dashboard/?id=INSTANCE` leads browsers to the dashboard of an instance, without a login, for everybody who knows its id.',
    fallback: false,
  }),
  requestTimeout: duration({ doc: 'Until a request must have arrived completely.', fallback: '30s' }),
  headersTimeout: duration({ doc: 'Until the headers must have arrived.', fallback: '10s' }),
  keepAliveTimeout: duration({
    doc: "How long an idle connection stays open; longer than the load balancer's idle time.",
    fallback: '75s',
  }),
  tls: group('Encrypts the main address; certificate and key are read again on SIGHUP.', {
    certificateFile: optional(path({ doc: 'Certificate chain, PEM.' })),
    keyFile: optional(path({ doc: 'Private key, PEM.' })),
    clientCaFile: optional(
      path({
        doc: 'Authorities of client certificates, PEM; `auth.users[].certificate` says whom one stands for.',
      }),
    ),
    clientCertificates: choice(['request', 'require'], {
      doc: 'With `clientCaFile`: whether a client may come without a certificate.',
      fallback: 'request',
    }),
  }),
})

const store = group('Where everything is kept.', {
  url: text({
    doc: '`sqlite` for a file in `dataDir`, `sqlite:PATH`, or a `postgres://` URL.',
    fallback: 'sqlite',
    pattern: /^(?:sqlite(?::.+)?|postgres(?:ql)?:\/\/.+)$/,
    written: 'sqlite | sqlite:PATH | postgres://…',
  }),
  poolSize: integer({ doc: 'Connections to PostgreSQL.', fallback: 10, least: 1 }),
  statementTimeout: duration({ doc: 'How long a statement on PostgreSQL may take.', fallback: '10s' }),
  connectTimeout: duration({ doc: 'How long to wait for the store at start.', fallback: '30s' }),
})

/** The whole table. */
export const settingsTable = group('', {
  http,
  store,
  dataDir: path({
    doc: 'Images, keys and the SQLite file; mode 0700.',
    fallback: '/var/lib/chandler',
  }),
  engine: choice(['auto', 'embedded', 'docker', 'kubernetes'], {
    doc: 'Where packages run; `auto` takes Docker when its socket is there, else the embedded engine; with `kubernetes` images run as pods of a cluster.',
    fallback: 'auto',
  }),
  runs: group('What packages find where they run.', {
    network: choice(['auto', 'own', 'host'], {
      doc: 'The network of runs: `own` is outward only and refuses packages where it cannot be made, `host` is that of this host, `auto` one of their own where it can be made.',
      fallback: 'auto',
    }),
  }),
  kubernetes: kubernetesSettings,
  cluster: group('The brokers that share one store.', {
    id: optional(
      text({ doc: 'Part of every name outside; made at the first start.', pattern: /^[a-z0-9]{1,12}$/ }),
    ),
  }),
  node: group('This process.', {
    name: optional(text({ doc: 'Name of this process; host name and a random suffix when absent.' })),
  }),
  auth: authSettings,
  catalog: catalogSettings,
  operations: operationSettings,
  tenants: tenantSettings,
  sandbox: sandboxSettings,
  limits: limitSettings,
  quotas: quotaSettings,
  retention: retentionSettings,
  shutdown: group('What happens on SIGTERM.', {
    drain: duration({ doc: 'How long requests in flight may take.', fallback: '25s', reload: true }),
    drainDelay: duration({
      doc: 'How long readiness says no before connections close; load balancers need it to notice.',
      fallback: '5s',
      reload: true,
    }),
  }),
  logs: group('What the process says on standard output.', {
    level: choice(['debug', 'info', 'warn', 'error', 'fatal'], {
      doc: 'The least level that is written.',
      fallback: 'info',
      reload: true,
    }),
    format: choice(['auto', 'json', 'pretty'], {
      doc: 'One JSON object per line, or text for people; `auto` is pretty on a terminal.',
      fallback: 'auto',
    }),
  }),
  secrets: group('Keys that seal what is secret.', {
    keyring: optional(
      path({
        doc: 'File of the key ring. Made in `dataDir` at the first start with SQLite; required with PostgreSQL.',
      }),
    ),
  }),
  audit: group('Where the audit trail goes besides the store; its anchors are in the log in any case.', {
    file: optional(
      path({ doc: 'A file that records and anchors are appended to, one JSON object per line.' }),
    ),
    syslog: optional(
      text({
        doc: 'A syslog server (RFC 5424) that records and anchors are sent to.',
        pattern: /^(?:udp|tcp|tls):\/\/[^\s/]+$/,
        written: 'udp:// or tcp:// or tls://host:port',
      }),
    ),
  }),
  registries: registrySettings,
  osb: group('Choices the Open Service Broker specification leaves.', {
    deletedLastOperation: choice(['succeeded', 'gone'], {
      doc: 'Answer to a poll after a finished delete: 200 `succeeded` while it is remembered, or 410.',
      fallback: 'succeeded',
    }),
    missingVersionStatus: choice([412, 400], {
      doc: 'Status of a request without `X-Broker-API-Version`.',
      fallback: 412,
    }),
  }),
})

export type Settings = ValueOf<typeof settingsTable>

export type OidcSettings = Settings['auth']['oidc']
