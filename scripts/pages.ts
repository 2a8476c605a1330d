/** The reference pages of docs/, made from the tables in the code. */
import type { Argument, Command, Option } from 'commander'
import { makeCatalog } from '../src/broker/catalog.ts'
import { manifestsOf } from '../src/cli/commands/manifests.ts'
import { commands } from '../src/cli/commands.ts'
import { localDataDir } from '../src/cli/local.ts'
import { addBrokerMetrics } from '../src/compose/broker-metrics.ts'
import { serviceSchema } from '../src/contracts/cnab/index.ts'
import { openMetrics } from '../src/http/metrics.ts'
import type { Route } from '../src/http/operator/route.ts'
import { operatorRoutes } from '../src/http/operator/routes.ts'
import { isObject } from '../src/kit/json.ts'
import { problemCodes } from '../src/model/problem-codes.ts'
import { settingsPage } from '../src/settings/describe.ts'
import type { Store } from '../src/store/store.ts'
import { commandTree, shownCommands } from './command-tree.ts'
import { dashboard } from './dashboard.ts'

/** File name to text. */
export async function pages(): Promise<ReadonlyMap<string, string>> {
  return new Map([
    ['docs/settings.md', `${settingsPage().trimEnd()}\n`],
    ['docs/problems.md', problemsPage()],
    ['docs/api.md', apiPage()],
    ['docs/cli.md', await cliPage()],
    ['docs/metrics.md', metricsPage()],
    ['deploy/grafana/dashboard.json', `${JSON.stringify(dashboard(), null, 2)}\n`],
    ['deploy/kubernetes/chandler.yaml', manifestsPage()],
    ['docs/contracts/cnab-service.schema.json', `${JSON.stringify(serviceSchema, null, 2)}\n`],
  ])
}

const generated = (from: string) => `Generated from ${from} by \`npm run docs\`; do not edit.`

function problemsPage(): string {
  const rows = Object.entries(problemCodes).map(
    ([code, { title, hint, status, exit }]) => `| \`${code}\` | ${title} | ${hint} | ${status} | ${exit} |`,
  )
  return lines([
    '# Problems',
    '',
    generated('the list of problems'),
    '',
    'Codes are stable for ever. `status` is what HTTP answers, `exit` what the command line ends with:',
    '1 unexpected, 2 wrong usage, 3 the operation failed, 4 not found, 5 conflict, 6 not permitted, 7 gave up waiting,',
    '8 unreachable, 9 invalid input, 10 configuration, 11 refused by policy or quota.',
    '',
    '| code | what happened | what to do | status | exit |',
    '|---|---|---|---|---|',
    ...rows,
  ])
}

function apiPage(): string {
  const groups = Map.groupBy(operatorRoutes, (route) => route.tag)
  return lines([
    '# Operator API',
    '',
    generated('the table of routes'),
    '',
    'Below `/api/v1`, JSON in and out, with HTTP Basic authentication or a bearer token. The exact schemas: `/api/openapi.json` (OpenAPI 3.1).',
    'Browsers trade the credentials for a cookie (`POST /session`); with a cookie alone each change needs the header `X-CSRF-Token` with the token of that answer.',
    'Each route needs a permission, which the roles of an account bundle: [who may do what](access.md). For a thing that belongs to a tenant, the account must hold the permission in that tenant; things of other tenants look as if they did not exist.',
    'Every refusal is a document with `code`, `title`, `detail`, `where`, `hint` and `requestId`; see [problems](problems.md).',
    'Lists come in pages: `limit` (50, at most 500) and `cursor` (`next` of the page before).',
    'A `POST` with an `Idempotency-Key` (1 to 255 printable characters without blanks) may be sent again for a day: the broker carries it out once, and repeats its answer. With the same key another request is refused with 422; while the first is under way, any is refused with 409.',
    '`HEAD` answers like `GET`, without a body. A method that an address does not know is refused with 405; `Allow` names those it knows.',
    'Times are RFC 3339 in UTC. Every answer carries `X-Request-ID`.',
    '',
    ...[...groups].flatMap(([tag, routes]) => [
      `## ${tag.slice(0, 1).toUpperCase()}${tag.slice(1)}`,
      '',
      '| route | needs | takes | answers | audited as |',
      '|---|---|---|---|---|',
      ...routes.map(routeRow),
      '',
    ]),
  ])
}

function routeRow(route: Route): string {
  const takes = [...fieldsOf(route.parts.query), ...fieldsOf(route.parts.body)].join(', ')
  const audited = route.audit.kind === 'deed' ? `\`${route.audit.action}\`` : ''
  const title: unknown = isObject(route.answers) ? route.answers['title'] : undefined
  const answers = typeof title === 'string' ? `${route.status} \`${title}\`` : String(route.status)
  const about = `\`${route.method} ${route.url}\`<br>${route.summary}`
  return `| ${about} | \`${route.needs}\` | ${takes} | ${answers} | ${audited} |`
}

function fieldsOf(schema: unknown): readonly string[] {
  const properties = isObject(schema) ? schema['properties'] : undefined
  const required: unknown = isObject(schema) ? schema['required'] : undefined
  if (!isObject(properties)) return []
  const demanded = Array.isArray(required) ? required : []
  return Object.keys(properties).map((name) => (demanded.includes(name) ? `**${name}**` : name))
}

function metricsPage(): string {
  const metrics = openMetrics({ version: '', nodeVersion: '' })
  addBrokerMetrics(metrics, {
    ...{ dataDir: '.', storeUrl: 'sqlite:', running: () => 0, artifacts: { size: () => Promise.resolve(0) } },
    // Nothing is read: only what there is to read is told.
    store: {} as unknown as Store,
    clock: { sleep: () => Promise.resolve() },
    catalog: () => makeCatalog([]),
  })
  const own = metrics.table().filter(({ name }) => /^(chandler|http)_/.test(name))
  const rows = own
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(
      ({ name, kind, labels, help }) =>
        `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(' ')} | ${help} |`,
    )
  return lines([
    '# Figures',
    '',
    generated('the figures themselves'),
    '',
    '`GET /metrics` on `http.adminListen`, as Prometheus text or, by `Accept`, OpenMetrics. Besides these there are those of the process and Node',
    '(`process_*`, `nodejs_*`). Labels take their values from closed sets: never an instance, a user, a path or an error text.',
    'Figures of the store are counted once a minute, however often they are asked for. Rules for alerts: [alerts.yml](alerts.yml);',
    'a dashboard for Grafana: [`deploy/grafana/dashboard.json`](../deploy/grafana/dashboard.json).',
    '',
    '| figure | kind | labels | what it tells |',
    '|---|---|---|---|',
    ...rows,
  ])
}

async function cliPage(): Promise<string> {
  const root = await commandTree('0')
  const rows = commands.map(({ name, summary, aliases = [] }) => {
    const also = aliases.length > 0 ? `; also ${aliases.map((alias) => `\`${alias}\``).join(', ')}` : ''
    return `| [\`${name}\`](#chandler-${name}) | ${summary}${also} |`
  })
  return lines([
    '# Command line',
    '',
    generated('the commands themselves'),
    '',
    'Results go to standard output, everything else to standard error. `-o json` and `-o yaml` print documents for',
    'programs, `-o name` names only. Colours appear on a terminal only, and not with `NO_COLOR`.',
    'Exit codes are those of [problems](problems.md); 130 and 143 after Ctrl-C and SIGTERM. `serve` has its own.',
    'Which broker: `--server`, `--user`, `--password-file`; else `CHANDLER_SERVER`, `CHANDLER_USER`, `CHANDLER_PASSWORD`',
    'or `CHANDLER_PASSWORD_FILE`; else the context of `chandler login` (`--context`, `CHANDLER_CONTEXT`).',
    '',
    '| command | |',
    '|---|---|',
    ...rows,
    '',
    ...shownCommands(root).flatMap((command) => commandSection(command, 'chandler')),
  ])
}

function commandSection(command: Command, path: string): readonly string[] {
  const name = `${path} ${command.name()}`
  const holds = command.commands.length > 0
  const usage = [name, ...command.registeredArguments.map(argumentText)].join(' ')
  const options = command.options.filter((option) => !option.hidden)
  return [
    `${path === 'chandler' ? '##' : '###'} ${name}`,
    '',
    command.description(),
    '',
    ...(holds ? [] : ['```', `${usage}${options.length > 0 ? ' [options]' : ''}`, '```', '']),
    ...(options.length === 0 ? [] : [...options.map(optionLine), '']),
    ...examplesOf(command),
    ...shownCommands(command).flatMap((child) => commandSection(child, name)),
  ]
}

function argumentText(argument: Argument): string {
  const name = argument.variadic ? `${argument.name()}...` : argument.name()
  return argument.required ? `<${name}>` : `[${name}]`
}

function optionLine({ flags, description, defaultValue, argChoices }: Option): string {
  const choices = argChoices ? ` (${argChoices.join(', ')})` : ''
  // The page is the same whoever makes it.
  const said =
    typeof defaultValue === 'string' ? defaultValue.replace(localDataDir(), '~/.local/share/chandler') : ''
  const usual = typeof defaultValue === 'string' ? `; default ${said}` : ''
  return `- \`${flags}\`: ${description}${choices}${usual}`
}

/** What `--help` shows after the options. */
function examplesOf(command: Command): readonly string[] {
  let text = ''
  command.configureOutput({
    writeOut: (part) => {
      text += part
    },
  })
  command.outputHelp()
  const found = text.split('\n').filter((line) => line.startsWith('  $ '))
  return found.length === 0 ? [] : ['```sh', ...found.map((line) => line.slice(4)), '```', '']
}

function manifestsPage(): string {
  const values = 'deploy/kubernetes/values.yml'
  return `# ${generated(values)}\n${manifestsOf(values)}`
}

function lines(all: readonly string[]): string {
  return `${all.join('\n').trimEnd()}\n`
}
