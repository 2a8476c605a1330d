/** Why a broker cannot be reached, in words that lead to what helps. */
import { present } from '../kit/present.ts'
import { fail } from '../model/problem.ts'

interface Reason {
  readonly words: string
  readonly hint?: string
}

const untrusted: Reason = {
  words: 'its certificate is signed by an authority that this machine does not know',
  hint: 'Give the certificate of that authority, or the own one of a broker that signed itself: --ca-file FILE (CHANDLER_CA_FILE).',
}

/** Codes of the system and of OpenSSL. */
const reasons: Readonly<Record<string, Reason>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_HAS_EXPIRED: {
    words: 'its certificate has expired',
    hint: 'Renew the certificate of the broker; it is read again without a restart.',
  },
  CERT_NOT_YET_VALID: {
    words: 'its certificate is not valid yet',
    hint: 'Compare the clocks of this machine and of the broker.',
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    words: 'its certificate is for another name',
    hint: 'Use a name that stands in the certificate.',
  },
  ERR_SSL_WRONG_VERSION_NUMBER: {
    words: 'it does not speak TLS there',
    hint: 'Write http:// instead of https://, or use the port that speaks TLS.',
  },
  ECONNREFUSED: { words: 'nothing listens there (ECONNREFUSED)' },
  ENOTFOUND: { words: 'there is no host of that name (ENOTFOUND)' },
  EAI_AGAIN: { words: 'the name service gives no answer now (EAI_AGAIN)' },
}

/** Ends with the problem that nothing came back. */
export function unreachable(origin: string, cause: unknown): never {
  const { words, hint } = reasonOf(cause)
  return fail('server.unreachable', `${origin}: ${words}`, present({ cause, hint }))
}

/** Clients hide what happened in the cause of a cause. */
function reasonOf(cause: unknown): Reason {
  if (!(cause instanceof Error)) return { words: 'no answer' }
  if (cause.name === 'TimeoutError') return { words: 'no answer in time' }
  const code = (cause as { readonly code?: unknown }).code
  if (typeof code === 'string')
    return reasons[code] ?? { words: cause.message === '' ? code : `${cause.message}` }
  return cause.cause === undefined ? { words: cause.message } : reasonOf(cause.cause)
}
