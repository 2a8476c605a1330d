/** What goes wrong in the small languages when they are used on their own. */
import type { ProblemTable } from './table.ts'

export const languageProblems = {
  'hil.template.fault': {
    title: 'The template cannot be evaluated',
    hint: 'Correct the expression at the place shown.',
    status: 400,
    exit: 9,
  },
  'hil.variables.unreadable': {
    title: 'The variables are not a map',
    hint: 'Give a file with one YAML or JSON map, or --var name=value.',
    status: 400,
    exit: 9,
  },
  'spiff.template.fault': {
    title: 'The spiff template cannot be processed',
    hint: 'Correct the expressions listed; * is an own fault, @ waits for something, - waits for what failed.',
    status: 400,
    exit: 9,
  },
  'spiff.document.unreadable': {
    title: 'A spiff document cannot be read',
    hint: 'Correct the YAML at the place shown.',
    status: 400,
    exit: 9,
  },
  'spiff.limit.reached': {
    title: 'Processing the spiff template takes more than is allowed',
    hint: 'Look for endless recursion or for values that multiply.',
    status: 400,
    exit: 9,
  },
  'spiff.path.absent': {
    title: 'The result has nothing at this path',
    hint: 'Write the path with dots, list entries as [0] or by name.',
    status: 400,
    exit: 9,
  },
} as const satisfies ProblemTable
