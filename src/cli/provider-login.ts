/** Logins at identity providers: begun by a person, and kept alive by the commands that follow. */
import { beginDeviceLogin, endDeviceLogin, offeredProvider, renewLogin } from '../client/device-login.ts'
import { systemClock } from '../kit/clock.ts'
import { readJwt } from '../kit/jwt.ts'
import { present } from '../kit/present.ts'
import { fail, toProblem } from '../model/problem.ts'
import { type Context, readContexts, writeContexts } from './contexts.ts'
import { say } from './terminal.ts'

type Kept = Pick<Context, 'token' | 'provider'>

/** Has a person log in with a code. Problems: login.not-offered, login.refused, login.provider-away. */
export async function logInAtProvider(server: string): Promise<Required<Pick<Context, 'token'>> & Kept> {
  const offer = await offeredProvider(server)
  const code = await beginDeviceLogin(offer)
  say(`Open ${code.url} in a browser and enter the code ${code.entered}`)
  const { token, refresh } = await endDeviceLogin(offer, code, (ms) => systemClock.sleep(ms))
  const { issuer, clientId } = offer
  return { token, provider: present({ issuer, clientId, refresh }) }
}

/** So long before its end a token is exchanged. */
const earlyMs = 30_000

/** A context whose token still holds; one that has run out is exchanged, and remembered. Problems: login.refused. */
export async function withFreshToken(context: Context): Promise<Context> {
  const { provider } = context
  if (provider === undefined || !hasRunOut(context)) return context
  if (provider.refresh === undefined) return over(context)
  try {
    const { token, refresh } = await renewLogin(provider, provider.refresh)
    return await remembered({ ...context, token, provider: { ...provider, ...present({ refresh }) } })
  } catch (error) {
    const { code } = toProblem(error)
    if (code !== 'login.refused') throw error
    // Another command may have exchanged it meanwhile, and most providers let that be done once.
    const again = (await readContexts()).contexts.find(({ name }) => name === context.name)
    return again !== undefined && !hasRunOut(again) ? again : over(context)
  }
}

function hasRunOut({ token = '' }: Kept): boolean {
  const exp = readJwt(token)?.claims['exp']
  return typeof exp !== 'number' || exp * 1000 - earlyMs < systemClock.now()
}

function over({ server }: Context): never {
  return fail('login.refused', 'the login of before has run out', {
    hint: `Log in again: chandler login ${server} --provider`,
  })
}

async function remembered(context: Context): Promise<Context> {
  const all = await readContexts()
  writeContexts({
    ...all,
    contexts: all.contexts.map((one) => (one.name === context.name ? context : one)),
  })
  return context
}
