/** Reads the Dockerfile of a bundle as far as no program of an image must be run for it, and writes its label. */
import { present } from '../../kit/present.ts'
import type { Problem } from '../../model/problem.ts'
import { type Instruction, instructionsOf, listOf } from '../instructions.ts'

export interface Dockerfile {
  /** Absent: from scratch. */
  readonly base?: string
  readonly copies: readonly Copy[]
  readonly labels: Readonly<Record<string, string>>
  /** `NAME=value`. */
  readonly environment: readonly string[]
  readonly user?: string
  readonly workingFolder?: string
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  /** What is copied may be used by the group as by its owner: bundles run under any user of group 0. */
  readonly groupAsOwner: boolean
}

export interface Copy {
  readonly from: readonly string[]
  readonly to: string
  readonly line: number
}

export type DockerfileReading =
  | { readonly kind: 'dockerfile'; readonly dockerfile: Dockerfile }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] }

/** Reads it; what would have to be run is a problem, each with its line. */
export function readDockerfile(text: string): DockerfileReading {
  const problems: Problem[] = []
  const found: Found = { copies: [], labels: {}, environment: [], groupAsOwner: false }
  const refuse: Refuse = ({ line }, detail) =>
    problems.push({ code: 'apb.dockerfile', detail, where: { source: 'Dockerfile', line } })
  for (const instruction of instructionsOf(text)) {
    const take = Object.hasOwn(takers, instruction.word) ? takers[instruction.word] : undefined
    if (take === undefined) refuse(instruction, `${instruction.word} cannot be carried out`)
    else take(found, instruction, refuse)
  }
  if (problems.length > 0) return { kind: 'refused', problems }
  return { kind: 'dockerfile', dockerfile: present({ ...found }) }
}

interface Found {
  base?: string
  copies: Copy[]
  labels: Record<string, string>
  environment: string[]
  user?: string
  workingFolder?: string
  entrypoint?: readonly string[]
  command?: readonly string[]
  groupAsOwner: boolean
}

type Refuse = (instruction: Instruction, detail: string) => void
type Taker = (found: Found, instruction: Instruction, refuse: Refuse) => void

const nothing: Taker = () => undefined

const takers: Readonly<Record<string, Taker>> = {
  FROM(found, instruction, refuse) {
    const [image = '', ...more] = instruction.rest.split(/\s+/)
    if (more.length > 0 || found.base !== undefined) refuse(instruction, 'only one plain FROM is understood')
    if (image !== 'scratch') found.base = image
  },
  COPY(found, instruction, refuse) {
    const words = listOf(instruction.rest) ?? wordsOf(instruction.rest)
    const to = words.at(-1) ?? ''
    const from = words.slice(0, -1)
    if (from.length === 0 || words.some((word) => word.startsWith('--')))
      refuse(instruction, 'COPY takes sources and a place, without flags')
    else if (from.some((path) => path.startsWith('/') || path.split('/').includes('..')))
      refuse(instruction, 'COPY takes from the folder of the bundle only')
    else found.copies.push({ from, to, line: instruction.line })
  },
  LABEL(found, { rest }) {
    Object.assign(found.labels, Object.fromEntries(pairsOf(rest)))
  },
  ENV(found, { rest }) {
    found.environment.push(...pairsOf(rest).map(([name, value]) => `${name}=${value}`))
  },
  USER(found, { rest }) {
    found.user = rest
  },
  WORKDIR(found, { rest }) {
    found.workingFolder = rest
  },
  ENTRYPOINT(found, instruction) {
    found.entrypoint = listOf(instruction.rest) ?? ['/bin/sh', '-c', instruction.rest]
  },
  CMD(found, instruction) {
    found.command = listOf(instruction.rest) ?? ['/bin/sh', '-c', instruction.rest]
  },
  RUN(found, instruction, refuse) {
    if (/^chmod -R g=u(?: [\w./{},-]+)+$/.test(instruction.rest)) found.groupAsOwner = true
    else refuse(instruction, `RUN ${instruction.rest.split('\n')[0]} must be run in the image`)
  },
  MAINTAINER: nothing,
  EXPOSE: nothing,
}

function wordsOf(text: string): readonly string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
}

const quotedOrPlain = String.raw`"(?:[^"\\]|\\.)*"|'[^']*'|[^\s=]+`
const pair = new RegExp(`(${quotedOrPlain})=((?:"(?:[^"\\\\]|\\\\.)*"|'[^']*'|[^\\s"'])*)`, 'g')

/** `name=value` pairs, or the old form `name value`. */
function pairsOf(text: string): readonly (readonly [string, string])[] {
  const pairs = [...text.matchAll(pair)].map(
    ([, name = '', value = '']) => [plain(name), plain(value)] as const,
  )
  if (pairs.length > 0) return pairs
  const [, name, value] = /^(\S+)\s+(.*)$/s.exec(text) ?? []
  return name === undefined || value === undefined ? [] : [[name, plain(value)]]
}

function plain(text: string): string {
  return text
    .replaceAll(/"((?:[^"\\]|\\.)*)"/g, (_, inner: string) => inner.replaceAll(/\\(["\\])/g, '$1'))
    .replaceAll(/'([^']*)'/g, '$1')
}

/** The file with a label written anew: in its old place, else behind FROM. Labels beside it stay. */
export function withLabel(text: string, name: string, instruction: string): string {
  const lines = text.split('\n')
  const old = instructionsOf(text).find(
    ({ word, rest }) => word === 'LABEL' && pairsOf(rest).some(([label]) => label === name),
  )
  if (old === undefined) {
    const from = lines.findIndex((line) => /^\s*FROM\s/i.test(line))
    return [...lines.slice(0, from + 1), '', instruction.trimEnd(), ...lines.slice(from + 1)].join('\n')
  }
  const start = old.line - 1
  let end = start
  while (/\\\s*$/.test(lines[end] ?? '') && end < lines.length - 1) end += 1
  const others = pairsOf(old.rest).filter(([label]) => label !== name)
  const kept = others.map(([label, value]) => `LABEL ${JSON.stringify(label)}=${JSON.stringify(value)}`)
  return [...lines.slice(0, start), ...kept, instruction.trimEnd(), ...lines.slice(end + 1)].join('\n')
}
