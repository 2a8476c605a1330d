/** chandler osb check: whether anybody's broker does what the specification says; what it orders, it deletes. */
import { readFileSync } from 'node:fs'
import { type CheckListener, type CheckReport, checkBroker } from '../../client/check/check.ts'
import { purposes } from '../../client/check/choose.ts'
import { type Level, levels, type Minor, minors } from '../../client/check/rules.ts'
import { lintCatalog } from '../../diagnostics/lint.ts'
import { systemChance, systemClock } from '../../kit/clock.ts'
import { ulid } from '../../kit/id.ts'
import { isObject, type JsonObject } from '../../kit/json.ts'
import { present } from '../../kit/present.ts'
import { plural, printable } from '../../kit/text.ts'
import { readYaml, toldFault } from '../../kit/yaml.ts'
import { fail, failAll, type Problem } from '../../model/problem.ts'
import { durationOf } from '../follow.ts'
import { isTerminal, say, sayOver } from '../terminal.ts'
import { type BrokerOptions, openBroker } from './connection.ts'
import { printReport, type ReportForm } from './report.ts'

interface CheckOptions extends BrokerOptions {
  readonly output: ReportForm
  readonly order?: true
  readonly paid?: true
  readonly plan?: readonly string[]
  readonly parameters?: string
  readonly wait: string
  readonly budget: string
  readonly failOn: string
}

/** Checks and reports. Problems: conformance.not-met when a rule is broken, conformance.stopped. */
export async function check(url: string | undefined, options: CheckOptions): Promise<void> {
  const level = levelOf(options.failOn)
  const minor = minorOf(options.apiVersion)
  const parameters = options.parameters === undefined ? {} : readParameters(options.parameters)
  const [wait, budget] = [durationOf(options.wait), durationOf(options.budget)]
  const connection = openBroker({ ...options, ...present({ url }) })
  const interruption = listenForInterrupts()
  try {
    const report = await checkBroker({
      connection,
      clock: systemClock,
      run: ulid(systemClock.now(), systemChance).toLowerCase(),
      ...present({ minor }),
      order: options.order === true,
      paid: options.paid === true,
      plans: options.plan ?? [],
      parameters,
      waitMs: wait,
      budgetMs: budget,
      stop: interruption.signal,
      lint: (catalog) =>
        lintCatalog(catalog).findings.filter(({ refusedBy }) => refusedBy.includes('specification')),
      listener: listener(options.order === true),
    })
    await printReport(report, options.output)
    judge(report, level)
  } finally {
    interruption.forget()
    await connection.close()
  }
}

function judge({ findings, ledger, stopped }: CheckReport, level: Level): void {
  const left = ledger.filter(({ fate }) => fate === 'left')
  if (left.length > 0) {
    fail('conformance.not-met', `${plural(left.length, 'thing')} could not be deleted at the broker`)
  }
  const counted = findings.filter((one) => levels.indexOf(one.level) <= levels.indexOf(level))
  if (counted.length > 0) fail('conformance.not-met', plural(counted.length, 'finding'))
  if (stopped !== undefined) fail('conformance.stopped', stopped)
}

function levelOf(text: string): Level {
  const found = levels.find((level) => level === text.toUpperCase())
  return found ?? fail('usage.invalid', `there is no level ${text}; there are ${levels.join(', ')}`)
}

function minorOf(text: string): Minor | undefined {
  if (text === 'auto') return undefined
  const found = minors.find((minor) => text === `2.${minor}`)
  return found ?? fail('usage.invalid', `${text} is no version from 2.11 to 2.17, nor auto`)
}

/** By `service/plan`, `service` or `*`, then by purpose. */
function readParameters(file: string): JsonObject {
  const { value, faults } = readYaml(readText(file))
  failAll(faults.map((fault): Problem => ({ code: 'parameters.invalid', ...toldFault(fault, file) })))
  if (!isObject(value)) return fail('parameters.invalid', 'must be a map', { where: { source: file } })
  for (const [plan, group] of Object.entries(value)) {
    const stray = isObject(group)
      ? Object.entries(group).find(
          ([name, one]) => !isObject(one) || !purposes.some((known) => known === name),
        )
      : [plan]
    if (stray !== undefined) {
      const hint = `Each plan has a map with some of ${purposes.join(', ')}, each of them a map.`
      fail('parameters.invalid', `${plan}: ${stray[0]}`, { where: { source: file }, hint })
    }
  }
  return value as JsonObject
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    return fail('file.unreadable', file, { cause })
  }
}

/** The first interruption ends the check and lets it delete what it ordered; a second one ends the program. */
function listenForInterrupts() {
  const stop = new AbortController()
  const interrupted = () => {
    if (stop.signal.aborted) process.exit(130)
    say('Stopped. What was ordered is deleted now; once more leaves it behind.')
    stop.abort()
  }
  process.on('SIGINT', interrupted)
  process.on('SIGTERM', interrupted)
  return {
    signal: stop.signal,
    forget() {
      process.off('SIGINT', interrupted)
      process.off('SIGTERM', interrupted)
    },
  }
}

/** What it is about to order stands on standard error before the first order; on a terminal, what it does follows. */
function listener(orders: boolean): CheckListener {
  return {
    planned({ plans, left }, minor) {
      say(`The broker is checked as version 2.${minor}.`)
      const verb = orders
        ? 'Ordered, changed, bound and deleted again'
        : 'Only looked at; --order would order'
      if (plans.length > 0) say(`${verb}:`)
      for (const { subject, parameters, free } of plans)
        say(printable(`  ${subject}${free ? '' : ' (costs money)'} ${JSON.stringify(parameters.create)}`))
      for (const { subject, reason } of left) say(printable(`Left out: ${subject}, ${reason}`))
    },
    doing: (what) => (isTerminal('stderr') ? sayOver(printable(what)) : undefined),
    ledger({ path, fate, proof }) {
      if (fate === 'left') say(printable(`left at the broker: ${path}: ${proof ?? ''}`))
    },
  }
}
