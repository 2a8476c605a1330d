/** The spiff template language as a library: parse, process, explain, lint. */
export { excerpt } from '../place.ts'
export { type Limits, localLimits, strictLimits } from './budget.ts'
export { DefineFault, defines } from './defines.ts'
export { type Data, escapeData, escapeText } from './detect.ts'
export type { Call, SpiffFunction } from './env.ts'
export { type Explained, explain, explanationText, pathSteps } from './explain.ts'
export { failure } from './issue.ts'
export type { Plain } from './json-write.ts'
export { type LintFinding, lint } from './lint.ts'
export { type Parsed, parseExpression, type SyntaxFault } from './parser.ts'
export type { Files, Ports, Programs } from './ports.ts'
export { printExpr } from './print.ts'
export {
  below,
  documentOf,
  flowSpiff,
  type ParsedSource,
  parseSpiff,
  processSpiff,
  readSpiff,
  type SourceText,
  type SpiffDocument,
  type SpiffFault,
  type SpiffOptions,
  type SpiffResult,
  type SpiffSource,
  toValue,
} from './spiff.ts'
export { stepIntoCell } from './step.ts'
export { type Cell, Dict, List, type Value } from './value.ts'
