/** chandler admin: the way in for operators at the machine of a broker. */
import { existsSync } from 'node:fs'
import { hostname, userInfo } from 'node:os'
import type { Command } from 'commander'
import { reasonMax, writeLocalGrant } from '../../api/local-grant.ts'
import { keyRingOf } from '../../compose/settings-of-parts.ts'
import { signerOf } from '../../compose/signing.ts'
import { systemChance, systemClock } from '../../kit/clock.ts'
import { ulidSource } from '../../kit/id.ts'
import { localGrantMs } from '../../model/account.ts'
import { fail } from '../../model/problem.ts'
import { keyFileOf } from '../../settings/data-folder.ts'
import { add } from '../command.ts'
import { type Form, printDeed, withOutput } from '../output.ts'
import { type SettingsOptions, settingsOf, withSettings } from '../settings-options.ts'
import { say } from '../terminal.ts'

export function register(program: Command): void {
  const group = add(program, {
    usage: 'admin',
    summary: 'Break-glass access on the machine of the broker',
    examples: ['admin grant --local --reason "the identity provider is away"'],
  })
  const grant = add(group, {
    usage: 'grant',
    summary: 'Make a token that may do everything for an hour',
    description:
      'For the day when no account can log in. It needs the key ring, so it works on the machine of a broker, for those who may read its file, whether the broker runs or not. The audit trail tells its first use with the reason, and everything that is done with it.',
    examples: ['admin grant --local --reason "the identity provider is away" --config chandler.yml'],
  })
    .requiredOption('--local', 'with the key ring of this machine')
    .requiredOption('--reason <text>', 'why, for the audit trail')
  withOutput(withSettings(grant)).action(async (options: GrantOptions) => {
    const reason = options.reason.trim()
    if (reason === '' || reason.length > reasonMax)
      fail('usage.invalid', `--reason takes 1 to ${reasonMax} characters`)
    const { settings } = settingsOf(options)
    const file = keyFileOf(settings)
    // Opening it would make one, and a token of that would be worth nothing.
    if (!existsSync(file)) fail('file.unreadable', `${file}: there is no key ring`)
    const ring = keyRingOf(settings, systemChance)
    const issuedAt = systemClock.now()
    const id = ulidSource(systemChance)(issuedAt)
    const by = `${userInfo().username}@${hostname()}`
    const { sign } = signerOf(ring, 'grants of the machine')
    const grantText = writeLocalGrant({ id, reason: `${by}: ${reason}`, issuedAt }, ring.active(), sign)
    const token = grantText ?? fail('file.unreadable', file)
    const expiresAt = new Date(issuedAt + localGrantMs).toISOString()
    // The token alone on standard output, so that it can be put into a variable.
    await printDeed(options.output, {
      kind: 'LocalGrant',
      value: { id, token, expiresAt },
      name: token,
      sentences: [token],
    })
    say(`It may do everything until ${expiresAt}, as CHANDLER_TOKEN.`)
    say(`To end it before: chandler token revoke ${id}`)
  })
}

interface GrantOptions extends SettingsOptions {
  readonly reason: string
  readonly output: Form
}
