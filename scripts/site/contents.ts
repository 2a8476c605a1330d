/** Which documents the site has, by their readers, in the order of its list of contents. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface SitePage {
  /** In the repository. */
  readonly source: string
  /** In the site. */
  readonly path: string
  /** What the list of contents calls it. */
  readonly label: string
}

export interface Part {
  readonly title: string
  readonly pages: readonly SitePage[]
}

type Row = readonly [source: string, label: string]

const rows: readonly (readonly [title: string, pages: readonly Row[]])[] = [
  [
    'Start',
    [
      ['README.md', 'What Chandler is'],
      ['docs/choosing.md', 'Choosing a contract'],
      ['docs/installing.md', 'Installing'],
      ['docs/container.md', 'In a container'],
    ],
  ],
  [
    'Order services',
    [
      ['docs/ui.md', 'The web UI'],
      ['docs/developers.md', 'For app developers'],
    ],
  ],
  [
    'Operate a broker',
    [
      ['docs/operators.md', 'For operators'],
      ['docs/sizing.md', 'Sizing and high availability'],
      ['docs/access.md', 'Access'],
      ['docs/security.md', 'Security model'],
      ['docs/platforms.md', 'Platforms'],
      ['docs/drills.md', 'Drills'],
      ['docs/troubleshooting.md', 'Troubleshooting'],
      ['docs/moving-over.md', 'Moving over'],
      ['docs/engines.md', 'Engines'],
      ['docs/kubernetes.md', 'Kubernetes'],
      ['docs/metrics.md', 'Figures'],
      ['docs/traces.md', 'Traces'],
      ['docs/conformance.md', 'Conformance'],
    ],
  ],
  [
    'Write packages',
    [
      ['docs/authors.md', 'New, lint, test, dev'],
      ['docs/packages.md', 'Any package'],
      ['docs/contracts/tweed.md', 'Tweed'],
      ['docs/contracts/apb.md', 'APB'],
      ['docs/contracts/brokerpak.md', 'Brokerpak'],
      ['docs/contracts/cnab.md', 'CNAB'],
      ['docs/contracts/toi.md', 'TOI'],
      ['docs/contracts/sim.md', 'Sim'],
      ['docs/ocm.md', 'OCM'],
      ['docs/languages/hil.md', 'HIL'],
      ['docs/languages/spiff.md', 'spiff'],
      ['docs/languages/library.md', 'The languages as libraries'],
    ],
  ],
  [
    'Look things up',
    [
      ['docs/cli.md', 'Command line'],
      ['docs/settings.md', 'Settings'],
      ['docs/api.md', 'Operator API'],
      ['docs/problems.md', 'Problems'],
      ['GLOSSARY.md', 'Words'],
      ['CHANGELOG.md', 'Changes'],
      ['SECURITY.md', 'Reporting a weakness'],
    ],
  ],
  [
    'Work on Chandler',
    [
      ['CONTRIBUTING.md', 'The inner loop'],
      ['ARCHITECTURE.md', 'The house'],
      ['docs/contributing/contract.md', 'Add a contract'],
      ['docs/contributing/engine.md', 'Add an engine'],
      ['docs/contributing/command.md', 'Add a command'],
      ['docs/contributing/setting.md', 'Add a setting'],
      ['docs/contributing/problem.md', 'Add a problem'],
    ],
  ],
]

/** The address of a page that lists what a folder holds. */
const decisions = 'docs/decisions'

/** All parts, with the pages that are written down in the table and those of documents that the table lacks. */
export function contentsOf(root: string): readonly Part[] {
  const listed = rows.map(([title, pages]) => ({
    title,
    pages: pages.map(([source, label]) => pageOf(source, label)),
  }))
  const known = new Set(listed.flatMap(({ pages }) => pages.map(({ source }) => source)))
  const others = documentsBelow(root, 'docs').filter((source) => !known.has(source))
  const more = others.filter((source) => !source.startsWith(decisions))
  const decided = others.filter((source) => source.startsWith(decisions))
  const untold = more.map((source) => pageOf(source, titleIn(root, source)))
  return [
    ...listed.map((part) =>
      part.title === 'Look things up' ? { ...part, pages: [...part.pages, ...untold] } : part,
    ),
    { title: 'Decisions', pages: decided.map((source) => pageOf(source, titleIn(root, source))) },
  ]
}

/** Pages beside the README have a folder of their own: SECURITY.md and docs/security.md would be one file. */
function pageOf(source: string, label: string): SitePage {
  const name = source.replace(/\.md$/, '')
  const path = name.startsWith('docs/') ? name.slice('docs/'.length) : `project/${name.toLowerCase()}`
  return { source, path: source === 'README.md' ? 'index.html' : `${path}.html`, label }
}

function documentsBelow(root: string, folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`)
    .toSorted()
}

function titleIn(root: string, source: string): string {
  return /^# (.*)$/m.exec(readFileSync(join(root, source), 'utf8'))?.[1] ?? source
}
