/** Settings of accounts: who may call, and as what. */
import { duration, group, items, optional, secret, text, texts } from './kinds.ts'

export const authSettings = group('Accounts.', {
  session: group('Sessions of people who log in with a browser.', {
    idle: duration({
      doc: 'How long a session lasts without a request of the person.',
      fallback: '30m',
      reload: true,
    }),
    absolute: duration({ doc: 'How long a session lasts in any case.', fallback: '8h', reload: true }),
  }),
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
  users: items('An account with password. Several platforms may exist; each sees its own instances only.', {
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
    tenants: texts({
      doc: 'Tenants in which the role holds: names, `NAME/*` for all below one, `*` for all. All, when absent.',
      fallback: [],
      pattern: /^(?:\*|[^\s*]+(?:\/\*)?)$/,
      written: 'NAME | NAME/* | *',
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
