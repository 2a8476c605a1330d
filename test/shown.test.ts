/** Whatever the documents show can be done: a test plays each command, and each configuration is taken. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { commandTree } from '../scripts/command-tree.ts'
import { pages } from '../scripts/pages.ts'
import { serviceSchema } from '../src/contracts/cnab/index.ts'
import { checkerOf } from '../src/kit/schema.ts'
import { loadSettings } from '../src/settings/load.ts'
import { newFolder } from './support/broker.ts'
import { type Block, blocksOf, callOf, callsIn, isPlayedBy, spansOf } from './support/shown.ts'
import { toured } from './support/tours.ts'

/** Records of the past, and what other tests follow: the made pages, and the pages on contributing. */
const leftOut = /^(?:CHANGELOG\.md|docs\/decisions\/|docs\/contributing\/)/
const made = await pages()
const documents = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((page) => page !== '' && !leftOut.test(page) && !made.has(page))
  .map((page) => ({ page, text: readFileSync(page, 'utf8') }))

const root = await commandTree('0')
const playedPages = [...toured.map(({ page }) => page), 'docs/installing.md', 'docs/container.md']
const consoleLines = documents
  .filter(({ page }) => playedPages.includes(page))
  .flatMap(({ text }) => blocksOf(text).filter(({ kind }) => kind === 'console'))
  .flatMap(({ text }) => [...text.matchAll(/^\$ (.*)$/gm)].map(([, line = '']) => line))
const played = consoleLines.flatMap((line) => callsIn(root, line))

/** Commands that no test here can give as they are shown, and why. */
const cannot: readonly (readonly [shown: string, why: string])[] = [
  ['chandler login https://broker.example --provider', 'needs a provider; test/whole/provider-login.test.ts'],
  [
    'chandler login http://127.0.0.1:8080 --user admin --password-file /etc/chandler/admin.password',
    'needs a system with the Debian package; test/release installs it in one',
  ],
]

test('each command that a page names is played by a tour, with the options and values that it names', () => {
  const named = documents.flatMap(({ page, text }) =>
    spansOf(text).flatMap((span) => {
      const [isOurs, rest] = /^(?:npx )?chandler (?=\S)/.test(span)
        ? [true, span.replace(/^(?:npx )?chandler /, '')]
        : [false, span]
      const call = callOf(root, rest)
      // Without the program's name it takes two words to be one of its commands; those of Cloud Foundry are not.
      return isOurs || (call.path.length > 1 && call.path[0] !== 'cf') ? [{ page, span, call }] : []
    }),
  )
  const untried = named.filter(
    ({ span, call }) => !cannot.some(([one]) => one === span) && !played.some((one) => isPlayedBy(call, one)),
  )

  expect(named.length).toBeGreaterThan(150)
  expect(untried.map(({ page, span }) => `${page}: ${span}`)).toEqual([])
  expect(cannot.filter(([one]) => !named.some(({ span }) => span === one))).toEqual([])
})

/** Blocks for a shell that are not part of a tour, by their first word of interest, and what gives their commands. */
const elsewhere: readonly (readonly [page: string, holds: string, by: string])[] = [
  ['README.md', 'npm start', 'the run of all tests, and those over the configuration of npm start'],
  ['README.md', 'export PATH=', 'the reader, to have the program of the clone'],
  ['docs/access.md', 'chandler package add', 'test/whole/sandbox.test.ts, which has a registry'],
  ['docs/choosing.md', 'chandler tweed build', 'test/whole/databases-example.test.ts'],
  ['docs/installing.md', 'podman load', 'test/release, on a Podman of its own'],
  ['docs/container.md', '--group-add', 'test/release/container.test.ts, on a Podman of its own'],
  ['docs/installing.md', 'sudo apt install', 'test/release, in a Debian of its own'],
  ['docs/kubernetes.md', 'kubectl', 'test/kubernetes/rollout.test.ts, where a cluster is built'],
  ['docs/platforms.md', 'cf create-service-broker', 'nothing: there is no Cloud Foundry here'],
]

test('each block for a shell is part of a tour, or of the few that something else plays', () => {
  const shells = documents.flatMap(({ page, text }) =>
    blocksOf(text)
      .filter(
        ({ kind, file, text: block }) =>
          kind === 'console' || (file === undefined && (kind === 'sh' || /^(?:\$ )?chandler /m.test(block))),
      )
      .map(({ kind, text: block }) => ({ page, kind, block })),
  )
  const unplayed = shells.filter(({ page, kind, block }) =>
    kind === 'console'
      ? !playedPages.includes(page)
      : !elsewhere.some(([where, holds]) => where === page && block.includes(holds)),
  )

  expect(unplayed.map(({ page, block }) => `${page}: ${block}`)).toEqual([])
  expect(
    elsewhere.filter(
      ([page, holds]) => !shells.some((one) => one.page === page && one.block.includes(holds)),
    ),
  ).toEqual([])
})

test('each script that a page names is one of the project', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: object }
  const named = documents.flatMap(({ page, text }) =>
    [...text.matchAll(/\bnpm (?:run )?(start|test|(?<=run )[\w:-]+)/g)].map(([, name = '']) => [page, name]),
  )

  expect(named.length).toBeGreaterThan(20)
  expect(named.filter(([, name = '']) => !Object.hasOwn(scripts, name))).toEqual([])
})

/** YAML and JSON that is no configuration of a broker, by how it begins, and how it is known to be right. */
const others: readonly (readonly [begins: string, check: (block: Block) => unknown])[] = [
  // A resource of a cluster's catalog: that it can be read is all that can be known without one.
  ['apiVersion: servicecatalog.k8s.io', ({ text }) => expect(parse(text)).toHaveProperty('kind')],
  [
    '- id: PRV-024',
    ({ text }) => expect(casesOf('provision')).toContainEqual((parse(text) as readonly unknown[])[0]),
  ],
  ['{\n  "io.chandler.service"', ({ text }) => expect(faultsOfService(text)).toEqual([])],
]

test('each configuration that a page shows is one that a broker takes, or a file of a tour', () => {
  const folder = newFolder()
  const blocks = documents.flatMap(({ page, text }) =>
    blocksOf(text)
      .filter(({ kind, file }) => (kind === 'yaml' || kind === 'json') && file === undefined)
      .map((block) => ({ page, block })),
  )
  const settings = blocks.filter(({ block }) => !others.some(([begins]) => block.text.startsWith(begins)))

  for (const [begins, check] of others) {
    const found = blocks.find(({ block }) => block.text.startsWith(begins))
    expect(found, begins).toBeDefined()
    if (found) check(found.block)
  }
  expect(settings.length).toBeGreaterThan(8)
  for (const [i, { page, block }] of settings.entries()) {
    const file = join(folder, `${i}.yml`)
    writeFileSync(file, withFiles(block.text, folder))
    const loaded = loadSettings({ folder, file, environment: {} })
    expect([page, block.text, loaded.kind === 'faults' ? loaded.problems : []]).toEqual([
      page,
      block.text,
      [],
    ])
  }
})

/** The configuration with the reader's files, which are made, below a folder. */
function withFiles(text: string, folder: string): string {
  return text.replaceAll(/(?<=: )\/[\w/.-]+/g, (path) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), 'a-secret-of-the-reader')
    return join(folder, path)
  })
}

function casesOf(name: string): readonly unknown[] {
  const { cases } = parse(readFileSync(`conformance/osb/${name}.yaml`, 'utf8')) as {
    readonly cases: unknown[]
  }
  return cases
}

function faultsOfService(text: string): readonly unknown[] {
  const { 'io.chandler.service': service } = JSON.parse(text) as { readonly [name: string]: unknown }
  return checkerOf(serviceSchema)(service)
}
