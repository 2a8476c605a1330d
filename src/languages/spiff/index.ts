/** The spiff template language as a library: parse, process, explain, lint. */
export { excerpt, type Place } from '../place.ts'
export { type Budget, type Limits, localLimits, strictLimits } from './budget.ts'
export type { CascadeOptions } from './cascade.ts'
export {
  type AsyncFunction,
  type AsyncOptions,
  type Compilation,
  type CompiledTemplate,
  compile,
} from './compile.ts'
export { DefineFault, defines } from './defines.ts'
export { type Data, escapeData, escapeText } from './detect.ts'
export { type Difference, differences } from './differences.ts'
export type {
  Call,
  CallEnding,
  CallOutcome,
  DocumentDepth,
  Effects,
  Env,
  FragmentOptions,
  FragmentResult,
  Frame,
  Info,
  Run,
  SpiffFunction,
  Stand,
  TagPlace,
  Tags,
} from './env.ts'
export { type Explained, type Explanation, explain, explanationText, pathSteps } from './explain.ts'
export type { Costs, Facts, Summed } from './facts.ts'
export { failure, type Issue, type Waiting } from './issue.ts'
export type { Plain } from './json-write.ts'
export { type Opened, openText, sealText } from './legacy-cipher.ts'
export { type LintFinding, type LintOptions, lint } from './lint.ts'
export { type Parsed, parseExpression, type SyntaxFault } from './parser.ts'
export type { Files, Ports, Programs } from './ports.ts'
export { printExpr, type Standpoint } from './print.ts'
export type { Unresolved } from './report.ts'
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
export type { StubPath, StubView } from './stubs.ts'
export type { Assign, BinaryOp, Expr, Form, MappingForm, Merge, Param } from './tree.ts'
export {
  type Base,
  type Cell,
  Dict,
  type Gone,
  type Lambda,
  List,
  type Origin,
  type Rest,
  type Scope,
  type Seen,
  type Settled,
  type Shape,
  type Spot,
  type Stuck,
  type Template,
  type Value,
} from './value.ts'
