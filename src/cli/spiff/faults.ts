/** Faults of the language as problems of the command line. */
import { present } from '../../kit/present.ts'
import { excerpt, type SpiffFault } from '../../languages/spiff/index.ts'
import { fail, type Place } from '../../model/problem.ts'

/** Refuses with what the language says. */
export function failed(fault: SpiffFault): never {
  switch (fault.kind) {
    case 'yaml':
      return fail('spiff.document.unreadable', fault.message, { where: placeOf(fault) })
    case 'budget':
      return fail('spiff.limit.reached', fault.message)
    case 'unresolved':
      return fail('spiff.template.fault', `${listed(fault)}${firstExcerpt(fault)}`, {
        where: placeOf(fault),
      })
  }
}

/** The list of what is unresolved; where the document is one expression, only what is wrong with it. */
function listed({ message, unresolved }: SpiffFault): string {
  const [only, second] = unresolved
  const alone = second === undefined && only?.steps.length === 0 && only.issue.nested.length === 0
  return alone && only.issue.text !== '' ? only.issue.text : message
}

function placeOf({ source, line, column }: SpiffFault): Place {
  return {
    ...present({ source, line, column }),
  }
}

/** The expression of the first fault, with a caret below the part that failed. */
function firstExcerpt({ unresolved }: SpiffFault): string {
  const code = unresolved[0]?.code
  return code === undefined ? '' : `\n${excerpt(code.text, code.place)}`
}
