/** Routes of sessions: a browser trades the credentials of an account for a cookie, and gives it back. */
import { Session, toSession } from '../../api/session.ts'
import { fail } from '../../model/problem.ts'
import { deed, look, route } from './route.ts'

export const sessionRoutes = [
  route({
    method: 'POST',
    url: '/session',
    needs: 'read:broker',
    tag: 'session',
    summary: 'Log in: trade the credentials of this request for a cookie',
    audit: deed('session.begin'),
    answers: Session,
    repeats: 'anew',
    status: 201,
    handle: ({ account }, { sessions }) => {
      // It would outlive the token.
      const isBorrowed = account.token !== undefined || account.claimed !== undefined
      if (isBorrowed) fail('request.forbidden', 'a token begins no session')
      const session = sessions.begin(account)
      return Promise.resolve({ kind: 'document', body: toSession(session), session })
    },
  }),
  route({
    method: 'GET',
    url: '/session',
    needs: 'read:broker',
    tag: 'session',
    summary: 'The session of the cookie of this request',
    audit: look,
    answers: Session,
    handle: ({ session }) => {
      const body = toSession(session ?? fail('request.unauthenticated', 'there is no session'))
      return Promise.resolve({ kind: 'document', body })
    },
  }),
  route({
    method: 'DELETE',
    url: '/session',
    needs: 'read:broker',
    tag: 'session',
    summary: 'Log out: the cookie is worth nothing any more, on any node',
    audit: deed('session.end'),
    status: 204,
    handle: async ({ session }, { sessions }) => {
      if (session !== undefined) await sessions.end(session.id)
      return { kind: 'nothing', session: 'ended' }
    },
  }),
]
