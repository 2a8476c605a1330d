/** Random values; the chance is handed in. */
import { toHex } from '../../../kit/bytes.ts'
import { type Call, type Env, effect, type SpiffFunction } from '../env.ts'
import { failure } from '../issue.ts'
import { typeName, type Value } from '../value.ts'
import { count } from './arguments.ts'
import { pattern } from './pattern.ts'
import { denied } from './system.ts'

export const randomFunctions: readonly (readonly [string, SpiffFunction])[] = [['rand', rand]]

/** Random bytes from the port. */
export function randomBytes(env: Env, size: number, name: string): Uint8Array {
  return (env.run.ports.random ?? denied(name))(size)
}

function randomInteger(env: Env, bits: number): bigint {
  const bytes = randomBytes(env, 8, 'rand')
  return BigInt(`0x${toHex(bytes)}`) >> BigInt(64 - bits)
}

/** Evenly from 0 up to, not including, a bound. */
function below(env: Env, bound: bigint): bigint {
  const limit = (2n ** 63n / bound) * bound
  for (;;) {
    const value = randomInteger(env, 63)
    if (value < limit) return value % bound
  }
}

function rand(call: Call): Value {
  count(call, 0, 2, 'rand takes a maximum of 2 arguments')
  const [kind, size] = call.args
  if (kind === undefined) return effect(call.env, () => randomInteger(call.env, 63))
  if (typeof kind === 'bigint') {
    if (size !== undefined) return failure('rand int takes only one argument')
    if (kind === 0n) return failure('zero range not possible for integer random values')
    return effect(call.env, () => (kind > 0n ? below(call.env, kind) : -below(call.env, -kind)))
  }
  if (typeof kind === 'boolean') {
    if (size !== undefined) return failure('rand bool takes only one argument')
    return effect(call.env, () => below(call.env, 2n) === 1n)
  }
  return typeof kind === 'string' ? randomText(call, kind, size ?? 1n) : null
}

function randomText(call: Call, charset: string, size: Value): Value {
  if (typeof size !== 'bigint') return failure(`rand length must be an integer, found ${typeName(size)}`)
  if (size <= 0n) return failure(`rand length must be positive, found ${size}`)
  call.env.run.budget.text(Number(size))
  const signs = signsOf(call, charset)
  if (signs.length === 0) return failure('rand: no characters to choose from')
  return effect(call.env, () =>
    Array.from({ length: Number(size) }, () => signs[Number(below(call.env, BigInt(signs.length)))]).join(''),
  )
}

/** The characters of a class: ASCII and Latin. */
function signsOf(call: Call, charset: string): readonly string[] {
  const re = pattern(call, `^[${charset}]$`, 600)
  const signs: string[] = []
  for (let code = 0x20; code < 0x250; code++) {
    if (code >= 0x7f && code < 0xa0) continue
    const sign = String.fromCharCode(code)
    if (re.matcher(sign).find()) signs.push(sign)
  }
  return signs
}
