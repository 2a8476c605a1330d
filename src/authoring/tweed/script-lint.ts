/** What a pattern's shell script does that the contract does not let it do: told where it can be seen without running it. */
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { nearest } from '../../kit/text.ts'
import type { Problem } from '../../model/problem.ts'
import { folderFault, has, isWhole, nearFile, type PatternFolder, placeOf } from './folder.ts'
import { type Branch, readScript, type Script } from './script.ts'

const operations = ['metadata', 'provision', 'bind', 'unbind', 'deprovision']

/** Which operations have a variable, and what to do in the others. */
const variables: Readonly<Record<string, { readonly has: readonly string[]; readonly hint: string }>> = {
  INPUTS: {
    has: ['provision', 'deprovision'],
    hint: 'Keep what is needed later in $CREDSTORE at provision, or have the operator set inputsInBind.',
  },
  OUTPUTS: { has: ['provision'], hint: 'Write its files in provision; only that has $OUTPUTS.' },
  BINDING: { has: ['unbind'], hint: 'Read $BINDING in unbind; only that has it.' },
  CREDSTORE: {
    has: ['provision', 'bind', 'unbind', 'deprovision'],
    hint: 'Print what the image itself knows: metadata is asked before there is an instance.',
  },
}

type Say = (line: number, detail: string, hint: string) => Problem

export interface ScriptFindings {
  /** Those for which the metadata operation may have failed. */
  readonly describing: readonly Problem[]
  readonly operating: readonly Problem[]
}

/** Findings about the program at a path of the image; none about what is no shell script. */
export function lintScript(pattern: PatternFolder, program: string): ScriptFindings {
  const source = placeOf(pattern, program)
  const script = readScript(readFileSync(source, 'utf8'))
  if (script === undefined) return { describing: [], operating: [] }
  const say: Say = (line, detail, hint) => folderFault(detail, { source, line }, hint)
  const describes = ({ labels }: Branch): boolean => labels.includes('metadata')
  const findings = (branches: readonly Branch[]) =>
    branches.flatMap((branch) => faultsOfBranch(pattern, branch, say))
  return {
    describing: [...faultsOfDispatch(script, say), ...findings(script.branches.filter(describes))],
    operating: [
      ...findings(script.branches.filter((branch) => !describes(branch))),
      ...misspeltVariables(pattern, script, say),
    ],
  }
}

function faultsOfDispatch({ dispatch, branches, lines }: Script, say: Say): readonly Problem[] {
  const labels = branches.flatMap((branch) => branch.labels)
  const known = operations.filter((operation) => labels.includes(operation))
  if (dispatch === undefined || known.length < 2) return []
  if (/^[2-9]$/.test(dispatch.subject)) {
    const detail = `it dispatches by $${dispatch.subject}; the operation is the first argument`
    return [say(dispatch.line, detail, 'Write case "$1" in.')]
  }
  const text = lines.join('\n')
  const open = operations.filter((operation) => !known.includes(operation))
  const misspelt = branches.flatMap(({ labels: names, line }) =>
    names.flatMap((name) => {
      if (operations.includes(name) || name === '*') return []
      const meant = nearest(name, open)
      return meant === undefined ? [] : [{ name, meant, line }]
    }),
  )
  const absent = open.filter(
    (operation) =>
      !misspelt.some(({ meant }) => meant === operation) &&
      !new RegExp(`\\b${operation}\\b(?!\\.)`).test(text),
  )
  return [
    ...misspelt.map(({ name, meant, line }) => say(line, `"${name}" is no operation`, `Write "${meant}".`)),
    ...(catchesAll(branches) ? [] : absent).map((operation) =>
      say(dispatch.line, `it does nothing for ${operation}`, `Add a branch: ${operation}) … ;;`),
    ),
  ]
}

/** Whether the last branch does something for operations that have none of their own, rather than to refuse them. */
function catchesAll(branches: readonly Branch[]): boolean {
  const rest = branches.find(({ labels }) => labels.includes('*'))
  return rest !== undefined && !rest.body.some(({ text }) => /\b(exit|return)\s+[1-9]/.test(text))
}

function faultsOfBranch(pattern: PatternFolder, { labels, body }: Branch, say: Say): readonly Problem[] {
  const own = labels.filter((label) => operations.includes(label))
  if (own.length === 0) return []
  const isOnly = (operation: string): boolean => own.length === 1 && own[0] === operation
  return body.flatMap(({ text, line }) => {
    if (/^\s*#/.test(text)) return []
    return [
      ...absentVariables(text, own).map(([name, hint]) =>
        say(line, `${own.join(' and ')} ${own.length === 1 ? 'has' : 'have'} no $${name}`, hint),
      ),
      ...(own.every((one) => one === 'bind' || one === 'unbind') ? writes(text, line, say) : []),
      ...(isOnly('metadata') ? faultsOfDocument(pattern, text, { line, say, body }) : []),
      ...(isOnly('bind') ? loudWords(text, line, say) : []),
    ]
  })
}

/** Variables that none of the operations has; those with a default of their own are asked for knowingly. */
function absentVariables(text: string, own: readonly string[]): readonly (readonly [string, string])[] {
  return Object.entries(variables).flatMap(([name, { has: having, hint }]) => {
    const used = new RegExp(`\\$(?:${name}\\b|\\{${name}\\})`).test(text)
    return used && !own.some((operation) => having.includes(operation)) ? [[name, hint] as const] : []
  })
}

function writes(text: string, line: number, say: Say): readonly Problem[] {
  if (!/>\s*"?\$\{?CREDSTORE\b/.test(text)) return []
  const hint = 'Keep it at provision, or print it: unbind finds in $BINDING what bind has printed.'
  return [say(line, '$CREDSTORE is read-only in bind and unbind', hint)]
}

interface Within {
  readonly line: number
  readonly say: Say
  readonly body: Branch['body']
}

/** The document comes from a file, alone, on standard output. */
function faultsOfDocument(
  pattern: PatternFolder,
  text: string,
  { line, say, body }: Within,
): readonly Problem[] {
  const [, printed] = /\bcat\s+"?(\/?[\w./-]+\.(?:ya?ml|json))"?/.exec(text) ?? []
  const prints = body.some((one) => /\bcat\s+["'/\w]/.test(one.text))
  const said = /^\s*(?:echo|printf)\b[^;|]*/.exec(text)?.[0]
  const noise =
    prints && said !== undefined && !/>/.test(said) && !/[{:]/.test(said)
      ? [
          say(
            line,
            'words before the document go to standard output, too',
            'Send them to standard error: >&2.',
          ),
        ]
      : []
  if (printed === undefined) return noise
  if (/>\s*&2/.test(text.slice(text.indexOf(printed)))) {
    const detail = 'the document goes to standard error and is not read'
    return [...noise, say(line, detail, 'Print it on standard output: leave out >&2.')]
  }
  const path = posix.resolve(pattern.image.workingFolder ?? '/', printed)
  if (!isWhole(pattern) || has(pattern, path)) return noise
  const near = nearFile(pattern, path)
  const hint = near === undefined ? 'Put the file below root.' : `Write ${near}.`
  return [...noise, say(line, `the image has no ${path}`, hint)]
}

/** Words without a colon are no YAML map, and the whole of what bind prints must be one. */
function loudWords(text: string, line: number, say: Say): readonly Problem[] {
  const [, said] = /^\s*echo\s+("[^"]*"|'[^']*'|[\w .,-]+)\s*(?:;;)?\s*$/.exec(text) ?? []
  if (said === undefined || /[:{}[\]$]|---/.test(said.replaceAll(/\$\{?\w+\}?/g, ''))) return []
  const words = said.replaceAll(/["']/g, '').trim()
  if (!/\w \w/.test(words)) return []
  const detail = 'these words go to standard output, which must be the map of credentials alone'
  return [say(line, detail, 'Send them to standard error: >&2.')]
}

/** Variables that nothing sets and that are nearly those of the contract. */
function misspeltVariables({ image }: PatternFolder, { lines }: Script, say: Say): readonly Problem[] {
  const text = lines.join('\n')
  const names = Object.keys(variables)
  return lines.flatMap((line, i) => {
    if (/^\s*#/.test(line)) return []
    return [...new Set([...line.matchAll(/\$\{?([A-Z][A-Z_]+)\b/g)].map(([, name = '']) => name))].flatMap(
      (name) => {
        if (name in variables || Object.hasOwn(image.environment ?? {}, name)) return []
        if (new RegExp(`\\b${name}=|\\b(?:read|for|export|local)\\b[^\\n]*\\b${name}\\b`).test(text))
          return []
        const plain = name.replaceAll('_', '')
        const meant = nearest(plain, names)
        const close =
          meant !== undefined && meant[0] === plain[0] && Math.abs(meant.length - plain.length) <= 1
        return close ? [say(i + 1, `nothing sets $${name}`, `Write $${meant}.`)] : []
      },
    )
  })
}
