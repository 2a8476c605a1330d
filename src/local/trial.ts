/** Names of instances that a command makes for itself and takes down again. */
import { systemChance } from '../kit/clock.ts'

/** A name that no other trial has; it tells which command made it. */
export function trialName(what: 'check' | 'example'): string {
  return `${what}-${process.pid}-${Buffer.from(systemChance.bytes(3)).toString('hex')}`
}

/** The process whose trial an instance is. */
export function commandOfTrial(instance: string): number | undefined {
  const pid = /^(?:check|example)-(\d+)-[0-9a-f]{6}$/.exec(instance)?.[1]
  return pid === undefined ? undefined : Number(pid)
}
