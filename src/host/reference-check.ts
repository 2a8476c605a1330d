/** What settings ask of package references: whether a text is one, and whether what it names lies on this machine. */
import { existsSync } from 'node:fs'
import { parseReference, type Reference } from '../artifacts/reference.ts'
import { present } from '../kit/present.ts'
import { toProblem } from '../model/problem.ts'
import { problemCodes } from '../model/problem-codes.ts'
import type { References } from '../settings/kinds.ts'

/** The grammar of references, given the host that stands in for one that a reference does not name. */
export function referenceCheck(defaultHost: string | undefined): References {
  return {
    judge: (text) => {
      if (text.startsWith('sim:')) return {}
      try {
        const path = pathOf(parseReference(text, present({ defaultHost })))
        return path === undefined || existsSync(path) ? {} : { absent: path }
      } catch (error) {
        const { code, detail = '', hint = problemCodes[code].hint } = toProblem(error)
        return { fault: { message: `is no package reference: ${detail}`, hint } }
      }
    },
  }
}

/** Where on this machine a reference points. */
function pathOf(reference: Reference): string | undefined {
  switch (reference.kind) {
    case 'path':
    case 'layout':
    case 'layout-archive':
    case 'docker-archive':
      return reference.path
    default:
      return undefined
  }
}
