/** What settings take for the address of a registry or of its web API: `host:port`, or a URL of HTTP. */
import type { Fault } from './kinds.ts'

const likeThis = 'Write host:port, or https://host:port.'

/** Why a text is no such address. What may be a password is not repeated. */
export function faultOfAddress(text: string): Fault | undefined {
  if (/[\s\p{Cc}]/u.test(text)) return { message: 'has blanks in it', hint: likeThis }
  const [, scheme, rest = ''] = /^(?:([^/?#@]*):\/\/)?(.*)$/.exec(text) ?? []
  const [authority = ''] = rest.split(/[/?#\\]/)
  if (rest.includes('@'))
    return {
      message: 'holds a user or password',
      hint: 'Write them as user and password_file, or as token_file, beside the url.',
    }
  if (scheme !== undefined && scheme !== 'https' && scheme !== 'http')
    return { message: `has the scheme "${scheme}"; http and https are known`, hint: likeThis }
  if (authority === '') return { message: 'names no host', hint: likeThis }
  if (!isHost(authority)) return { message: `names "${authority}", which is no host`, hint: likeThis }
  if (/[?#\\]/.test(rest))
    return { message: 'goes on behind the host with what no address has', hint: likeThis }
  return undefined
}

function isHost(authority: string): boolean {
  return (
    /^(?:\[[0-9a-fA-F:.]+\]|[^:[\]]+)(?::\d{1,5})?$/.test(authority) && URL.canParse(`https://${authority}`)
  )
}
