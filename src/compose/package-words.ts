/** What is told while packages are read becomes figures and log lines. */

import type { EnrolWord } from '../catalog/enrol.ts'
import type { Metrics } from '../http/metrics.ts'
import { ProblemError } from '../model/problem.ts'
import type { WorkReport } from '../work/work-report.ts'

/** Tells figures and log of packages and sources. */
export function tellPackages(metrics: Metrics, report: WorkReport): (word: EnrolWord) => void {
  return (word) => {
    if (word.kind === 'printed') return
    if (word.kind === 'warned') {
      report.event({ kind: 'warned', package: word.name, problems: word.problems })
      return
    }
    if (word.kind === 'listed') {
      metrics.sourceListed(word.name, word.listing)
      return
    }
    if (word.kind === 'renamed') {
      report.event({ kind: 'fault', doing: `offer ${word.name}`, error: new ProblemError(word.problem) })
      return
    }
    metrics.packageRead(word.source, word.kind)
    if (word.kind === 'offered') return
    const { problem } = word
    const error = problem.code === 'internal.unexpected' ? problem.cause : new ProblemError(problem)
    report.event({ kind: 'fault', doing: `read the package ${word.name}`, error })
  }
}
