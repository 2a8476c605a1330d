/** The arguments that a bundle is started with: its action, and one JSON document that survives every base image. */
import { canonical, type Json, type JsonObject } from '../../kit/json.ts'
import type { Requester } from '../../model/situation.ts'
import type { ApbAction } from './actions.ts'

/** Linux refuses a single argument of this many bytes. */
export const argumentBytesMax = 128 * 1024 - 1

/** The three arguments after the image's entrypoint. */
export function argumentsOf(action: ApbAction, vars: JsonObject): readonly [string, string, string] {
  return [action, '--extra-vars', encodeVars(vars)]
}

/**
 * Compact JSON with sorted keys. Newer base images print it with an unquoted `echo` of the shell, which would fold
 * blanks and expand wildcards; and all of them take a call that mentions `s2i/assemble` for a source build. The signs that
 * matter are written as escapes inside strings, which every JSON reader decodes. `<`, `>` and `&` are escaped as Go does.
 */
export function encodeVars(vars: JsonObject): string {
  const text = canonical(vars as Json)
  return text.replace(/"(?:[^"\\]|\\.)*"/g, (literal) =>
    literal
      .replace(/[*?[ <>&\u2028\u2029]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .replaceAll('s2i/assemble', 's2i\\u002fassemble'),
  )
}

/** The requesting user in the words of the platform: Kubernetes sends a name, Cloud Foundry an id. */
export function userOf(requester: Requester | undefined): string {
  const { username, uid, user_id } = requester?.identity ?? {}
  for (const word of [username, uid, user_id]) if (typeof word === 'string' && word !== '') return word
  return ''
}
