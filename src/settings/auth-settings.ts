/** Settings of accounts: who may call, and as what. */
import { duration, flag, group, integer, items, optional, path, secret, text, texts } from './kinds.ts'
import { tenantNames } from './tenant-settings.ts'

/** A verb, then a resource, its group and its subresource. */
export const accessPattern = /^([a-z]+) ([a-z0-9-]+)(?:\.([a-z0-9.-]+))?(?:\/([a-z]+))?$/

const oidc = group('People and platforms of an identity provider (OpenID Connect).', {
  issuer: optional(
    text({
      doc: 'Address of the provider, as it calls itself; without one there is none.',
      pattern: /^https:\/\/\S+$|^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d+)?(?:\/\S*)?$/,
      written: 'https://…',
      reload: true,
    }),
  ),
  name: text({ doc: 'How the log-in page calls it.', fallback: 'single sign-on', reload: true }),
  caFile: optional(
    path({
      doc: 'Authorities of its certificate besides those that this machine trusts, as PEM; read again for each question.',
      reload: true,
    }),
  ),
  clientId: optional(text({ doc: 'The client of the web UI at the provider.', reload: true })),
  clientSecret: optional(secret({ doc: 'Its secret; a public client has none.', reload: true })),
  cliClientId: optional(
    text({
      doc: 'The public client of the command line (device flow); `clientId` when absent.',
      reload: true,
    }),
  ),
  externalUrl: optional(
    text({
      doc: 'Address under which browsers know the broker; the provider sends them back to `/api/login/oidc/callback` below it.',
      pattern: /^https?:\/\/[^\s?#]+$/,
      written: 'https://…',
      reload: true,
    }),
  ),
  audiences: texts({
    doc: 'Bearer tokens are taken that were made for one of these, besides both clients.',
    fallback: [],
    reload: true,
  }),
  scopes: texts({ doc: 'What is asked for.', fallback: ['openid', 'profile'], reload: true }),
  usernameClaim: text({
    doc: 'The claim that names an account, as `oidc:VALUE`; it must be one that the provider gives to one person only, for ever.',
    fallback: 'sub',
    reload: true,
  }),
  rolesClaim: text({
    doc: 'The claim, a text or a list, that roles follow from.',
    fallback: 'groups',
    reload: true,
  }),
  grants: items('What a value of that claim gives. Without one, a person may log in and do nothing.', {
    value: text({ doc: 'The value, in full.' }),
    role: text({ doc: 'A role.', pattern: /^[a-z][a-z0-9-]{0,63}$/, written: 'a role' }),
    tenants: tenantNames({ doc: 'Where it holds; everywhere, when absent.', fallback: [] }),
  }),
  clockSkew: duration({ doc: 'How far the clock of the provider may be off.', fallback: '1m', reload: true }),
})

const serviceAccounts = group(
  'Service accounts of a Kubernetes cluster, by their tokens. The cluster is that of `kubernetes.kubeconfig` and `kubernetes.context`, else the one that the broker runs in; it is asked about each token (TokenReview).',
  {
    audiences: texts({
      doc: 'Tokens are taken that were made for one of these; tokens that open the API server itself are not. Without one no service account is asked for.',
      fallback: [],
      reload: true,
    }),
    grants: items('What a service account may do, or all of a namespace.', {
      namespace: text({
        doc: 'Its namespace.',
        pattern: /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/,
        written: 'a namespace',
      }),
      name: optional(
        text({
          doc: 'Its name; all of the namespace, when absent.',
          pattern: /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/,
          written: 'a name',
        }),
      ),
      role: text({ doc: 'A role.', pattern: /^[a-z][a-z0-9-]{0,63}$/, written: 'a role' }),
      tenants: tenantNames({ doc: 'Where it holds; everywhere, when absent.', fallback: [] }),
    }),
  },
)

export const authSettings = group('Accounts.', {
  session: group('Sessions of people who log in with a browser.', {
    idle: duration({
      doc: 'How long a session lasts without a request of the person.',
      fallback: '30m',
      reload: true,
    }),
    absolute: duration({ doc: 'How long a session lasts in any case.', fallback: '8h', reload: true }),
  }),
  oidc,
  serviceAccounts,
  roles: items('A role of your own, besides those that are always there.', {
    name: text({
      doc: 'Its name.',
      pattern: /^[a-z][a-z0-9-]{0,63}$/,
      written: 'lower-case letters, digits and -',
    }),
    permissions: texts({
      doc: 'What it may do, as `verb:object`; `chandler role list` shows all there are.',
    }),
  }),
  users: items('An account. There may be several platforms; each sees its own instances only.', {
    name: text({ doc: 'User name.', pattern: /^[^\s:/]{1,64}$/, written: 'name without blanks, : and /' }),
    password: optional(secret({ doc: 'Password; an account needs one, or a token, or a certificate.' })),
    previousPassword: optional(secret({ doc: 'Also valid, while clients move to a new password.' })),
    token: optional(
      secret({ doc: 'Bearer token: `Authorization: Bearer …` instead of user name and password.' }),
    ),
    previousToken: optional(secret({ doc: 'Also valid, while clients move to a new token.' })),
    certificate: optional(
      text({
        doc: 'Client certificate that stands for it instead of a password: `CN=NAME`, `DNS:NAME`, `URI:ADDRESS`, `email:ADDRESS` or `sha256:DIGEST` of the certificate. Needs `http.tls.clientCaFile`; browsers cannot use it.',
        pattern: /^(?:CN=.+|DNS:.+|URI:.+|email:.+|sha256:[0-9a-f]{64})$/,
        written: 'CN=… | DNS:… | URI:… | email:… | sha256:…',
      }),
    ),
    role: text({
      doc: '`platform`: the Open Service Broker API only. `viewer`: looks. `developer`: orders and binds. `author`: that, and reads packages. `auditor`: reads the audit trail. `admin`: keys, backups, accounts. `operator`: everything. Or one of `auth.roles`.',
      pattern: /^[a-z][a-z0-9-]{0,63}$/,
      written: 'platform | viewer | developer | author | operator | admin | auditor | a role of your own',
    }),
    tenants: tenantNames({
      doc: 'Tenants in which the role holds: names, `NAME/*` for all below one, `*` for all. All, when absent.',
      fallback: [],
    }),
    requestsPerSecond: optional(
      integer({ doc: 'Of this account, instead of `limits.requestsPerSecond`; 0 is unlimited.' }),
    ),
    apiInfoLocations: texts({
      doc: 'Cloud Controllers that this platform account is for, by the host that their header `X-Api-Info-Location` names. Requests that name another one, or none, are refused. All, when absent.',
      fallback: [],
      pattern: /^[a-z0-9.-]{1,253}(?::\d{1,5})?$/,
      written: 'HOST | HOST:PORT',
    }),
    syncWait: optional(
      duration({
        doc: 'How long a request of this platform may wait for work that is answered inside it, instead of `operations.syncWait`.',
      }),
    ),
    accessReview: optional(
      text({
        doc: 'What a Kubernetes cluster must allow each user that this platform orders, changes or binds for, in the namespace of the order, as `kubectl auth can-i` writes it: `create serviceinstances.servicecatalog.k8s.io`. The cluster is that of `kubernetes`; the user is that of `X-Broker-API-Originating-Identity`. No cluster is asked, when absent.',
        pattern: accessPattern,
        written: 'VERB RESOURCE.GROUP',
      }),
    ),
    bindingSecrets: flag({
      doc: 'Whether what a binding of this platform gives is also held by a Secret in the Kubernetes namespace that its order names, in the form of Service Binding for Kubernetes. The cluster is that of `kubernetes`.',
      fallback: false,
    }),
    tenant: optional(
      text({
        doc: 'The tenant that everything this platform orders belongs to; as the context of each order says, when absent.',
        pattern: /^[^\s*]{1,300}$/,
        written: 'a name without blanks and *',
      }),
    ),
  }),
})
