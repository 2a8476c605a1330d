/** What was found: each rule that was looked at, for each plan, with the requests that broke it. */
import { present } from '../../kit/present.ts'
import { type Exchange, type ShownExchange, saidBy, shown } from './exchange.ts'
import { type Level, type Minor, type RuleId, rules } from './rules.ts'

export interface Finding {
  readonly rule: RuleId
  readonly level: Level
  readonly section: string
  readonly says: string
  /** `service/plan`, or `broker` for what concerns no plan. */
  readonly subject: string
  readonly expected: string
  readonly got: string
  /** How often the same was seen. */
  readonly times: number
  readonly exchange?: ShownExchange
}

export interface Judged {
  readonly rule: RuleId
  readonly level: Level
  readonly section: string
  readonly says: string
  readonly subject: string
  readonly outcome: 'kept' | 'broken' | 'not-seen'
  /** Why it was not seen. */
  readonly reason?: string
}

export interface Judgement {
  readonly rule: RuleId
  readonly subject: string
  readonly exchange?: Exchange
  readonly kept: boolean
  readonly expected: string
  readonly got?: string
}

export interface Book {
  judge(judgement: Judgement): boolean
  /** A rule that could not be looked at. */
  miss(rule: RuleId, subject: string, reason: string): void
  findings(): readonly Finding[]
  judged(): readonly Judged[]
}

/** An empty book for one version; rules of other versions leave no trace in it. */
export function openBook(minor: Minor): Book {
  const findings = new Map<string, Finding>()
  const outcomes = new Map<string, Judged>()

  const counts = (rule: RuleId) => {
    const { since, until } = { until: undefined, ...rules[rule] }
    return since <= minor && (until === undefined || minor <= until)
  }
  const enter = (rule: RuleId, subject: string, outcome: Judged['outcome'], reason?: string) => {
    const key = `${subject} ${rule}`
    const known = outcomes.get(key)
    const weight = { 'not-seen': 0, kept: 1, broken: 2 }
    if (known !== undefined && weight[known.outcome] >= weight[outcome]) return
    const { level, section, says } = rules[rule]
    outcomes.set(key, {
      rule,
      level,
      section,
      says,
      subject,
      outcome,
      ...present({ reason }),
    })
  }

  return {
    judge({ rule, subject, exchange, kept, expected, got }) {
      if (!counts(rule)) return kept
      enter(rule, subject, kept ? 'kept' : 'broken')
      if (kept) return true
      const said = got ?? (exchange === undefined ? '' : saidBy(exchange.answer))
      const key = [rule, subject, expected].join('\n')
      const known = findings.get(key)
      const { level, section, says } = rules[rule]
      findings.set(
        key,
        known
          ? { ...known, times: known.times + 1 }
          : {
              rule,
              level,
              section,
              says,
              subject,
              expected,
              got: said,
              times: 1,
              ...(exchange === undefined ? {} : { exchange: shown(exchange) }),
            },
      )
      return false
    },
    miss(rule, subject, reason) {
      if (counts(rule)) enter(rule, subject, 'not-seen', reason)
    },
    findings: () => [...findings.values()],
    judged: () => [...outcomes.values()],
  }
}
