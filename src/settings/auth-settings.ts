/** Settings of accounts: who may call, and as what. */
import { choice, duration, group, items, optional, secret, text } from './kinds.ts'

export const authSettings = group('Accounts.', {
  session: group('Sessions of people who log in with a browser.', {
    idle: duration({
      doc: 'How long a session lasts without a request of the person.',
      fallback: '30m',
      reload: true,
    }),
    absolute: duration({ doc: 'How long a session lasts in any case.', fallback: '8h', reload: true }),
  }),
  users: items('An account with password. Several platforms may exist; each sees its own instances only.', {
    name: text({ doc: 'User name.', pattern: /^[^\s:/]{1,64}$/, written: 'name without blanks, : and /' }),
    password: optional(secret({ doc: 'Password; an account needs one, or a token.' })),
    previousPassword: optional(secret({ doc: 'Also valid, while clients move to a new password.' })),
    token: optional(
      secret({ doc: 'Bearer token: `Authorization: Bearer …` instead of user name and password.' }),
    ),
    previousToken: optional(secret({ doc: 'Also valid, while clients move to a new token.' })),
    role: choice(['platform', 'viewer', 'operator'], {
      doc: '`platform`: the Open Service Broker API only. `viewer`: looks. `operator`: everything.',
    }),
  }),
})
