/** What doctor says of hosts that lack something. */
import { expect, test } from 'vitest'
import type { ProblemCode } from '../../model/problem-codes.ts'
import { type Loan, mountedFrom } from '../mounted-programs.ts'
import { type Host, hostProblems } from './host.ts'

const lent = (tools: Loan['tools']) => mountedFrom({ folder: '/lent', tools, copied: [] })
const controls = { kind: 'v2', memory: true, swap: true, pids: true, cpu: true, hybrid: false } as const
const whole: Host = {
  boot: 'b',
  runtime: { kind: 'crun', program: '/usr/bin/crun' },
  controls,
  lent: lent([{ tool: 'sh', needsLoader: false }]),
  rootless: false,
  network: { kind: 'own' },
  passedOver: [],
}

test.each<[string, Partial<Host>, ProblemCode]>([
  ['no runtime', { runtime: { kind: 'plain' } }, 'engine.runtime-missing'],
  ['no way to confine a program', { unconfinable: 'stuck' }, 'engine.cannot-confine'],
  ['no shell that programs can be given', { lent: lent([]) }, 'engine.tool-missing'],
  ['no bound for memory', { controls: { ...controls, memory: false } }, 'engine.not-enforced'],
  [
    'runs that share its network',
    { network: { kind: 'host', why: 'slirp4netns missing' } },
    'engine.network-shared',
  ],
  ['a broker without rights', { rootless: true }, 'engine.not-enforced'],
])('a host with %s is told by code', (_, change, code) => {
  expect(hostProblems({ ...whole, ...change }).map((problem) => problem.code)).toContain(code)
})
