/** Problems of access: accounts, tokens, tenants, logins, and what the cluster says of its users. */
import type { ProblemTable } from './table.ts'

export const accessProblems = {
  'request.unauthenticated': {
    title: 'The credentials are missing or wrong',
    hint: 'Send the user and password of this broker.',
    status: 401,
    exit: 6,
  },
  'request.forbidden': {
    title: 'This account may not do that',
    hint: 'Ask an operator for a role that may.',
    status: 403,
    exit: 6,
  },
  'request.user-missing': {
    title: 'The order does not say which user of the cluster it is for, and where',
    hint: 'The platform must send X-Broker-API-Originating-Identity with a Kubernetes user, and a context with a namespace.',
    status: 400,
    exit: 9,
  },
  'request.user-refused': {
    title: 'The cluster does not allow its user to order this',
    hint: 'Ask those who look after the namespace for a role that allows it.',
    status: 403,
    exit: 6,
  },
  'request.review-away': {
    title: 'The cluster cannot be asked whether its user may order this',
    hint: 'Send it again later; chandler doctor says whether the broker reaches the cluster and may ask it.',
    status: 429,
    exit: 8,
  },
  'request.forged': {
    title: 'The request does not come from a page of this broker',
    hint: 'Load the page again. A program sends the Authorization header instead of a cookie.',
    status: 403,
    exit: 6,
  },
  'account.exists': {
    title: 'There is an account of this name',
    hint: 'Choose another name, or change the one that is there.',
    status: 409,
    exit: 5,
  },
  'account.password-wrong': {
    title: 'The current password is another one',
    hint: 'Type the password that you log in with now. An operator can set a new one.',
    status: 403,
    exit: 6,
  },
  'login.not-offered': {
    title: 'There is no identity provider to log in at',
    hint: 'Set auth.oidc.issuer, clientId and externalUrl, or log in with an account of the broker.',
    status: 404,
    exit: 6,
  },
  'login.refused': {
    title: 'The login at the identity provider did not succeed',
    hint: 'Begin it again; if it goes on, compare auth.oidc with what the provider knows of this client.',
    status: 401,
    exit: 6,
  },
  'login.provider-away': {
    title: 'The identity provider cannot be asked',
    hint: 'Try again when it is back. Accounts of the broker and its tokens work meanwhile.',
    status: 503,
    exit: 8,
  },
  'account.unknown': {
    title: 'There is no such account in the store',
    hint: 'List them: chandler user list. Those of the configuration are changed there.',
    status: 404,
    exit: 4,
  },
  'tenant.unknown': {
    title: 'Nothing is decided for this tenant in the store',
    hint: 'Make it: chandler tenant create. What holds for it tells chandler tenant show.',
    status: 404,
    exit: 4,
  },
  'tenant.exists': {
    title: 'There is a tenant of this name',
    hint: 'Change it: chandler tenant set.',
    status: 409,
    exit: 5,
  },
  'tenant.configured': {
    title: 'The configuration decides for this tenant',
    hint: 'Change its entry under tenants and reload, or take it out there first.',
    status: 409,
    exit: 5,
  },
  'tenant.in-use': {
    title: 'The tenant still has something',
    hint: 'Delete its instances and wait for its operations to end: chandler instance list, chandler operation list.',
    status: 409,
    exit: 5,
  },
  'tenant.keyless': {
    title: 'Nothing is sealed for this tenant',
    hint: 'Look at its name: chandler tenant list.',
    status: 404,
    exit: 4,
  },
  'token.unknown': {
    title: 'There is no such token',
    hint: 'List them: chandler token list.',
    status: 404,
    exit: 4,
  },
} as const satisfies ProblemTable
