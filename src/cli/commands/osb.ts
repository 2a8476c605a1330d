/** chandler osb: a client of anybody's service broker, a conformance check of it, and a linter of catalogs. */
import { type Command, Option } from 'commander'
import { add } from '../command.ts'
import { withLintOutput } from '../findings.ts'
import { cases } from '../osb/cases.ts'
import { check } from '../osb/check.ts'
import { withBroker } from '../osb/connection.ts'
import { lint } from '../osb/lint.ts'
import { bind, catalog, deprovision, fetch, lastOperation, provision, unbind, update } from '../osb/orders.ts'
import { reportForms } from '../osb/report.ts'
import { withOutput } from '../output.ts'
import { withParameters } from '../parameters.ts'
import { withReadiness } from '../readiness.ts'

export function register(program: Command): void {
  const group = add(program, {
    usage: 'osb',
    summary: 'Order at any service broker, check it, lint catalogs',
    examples: [
      'osb catalog --url https://broker.example --user me',
      'osb check https://broker.example --user me',
      'osb lint catalog.json',
    ],
  })
  registerOrders(group)
  registerLooks(group)
  registerJudges(group)
}

function registerOrders(group: Command): void {
  ordering(
    add(group, {
      usage: 'provision <service> <plan> [instance]',
      summary: 'Provision an instance; its id is made up when none is given',
      examples: ['osb provision alpha-db small', 'osb provision alpha-db small 7c1e -p size=3 --no-wait'],
    }),
  )
    .option('--org <guid>', 'organization', 'chandler')
    .option('--space <guid>', 'space', 'chandler')
    .option('--maintenance <version>', 'maintenance_info.version to ask for')
    .action(provision)
  ordering(
    add(group, {
      usage: 'update <instance>',
      summary: 'Change plan or parameters of an instance',
      examples: ['osb update 7c1e -p size=5', 'osb update 7c1e --service alpha-db --plan large'],
    }),
  )
    .option('--service <name>', 'its service, by name or id; asked of the broker when absent')
    .option('--plan <name>', 'move to this plan')
    .option('--maintenance <version>', 'move to this maintenance_info.version')
    .action(update)
  removing(
    add(group, {
      usage: 'deprovision <instance>',
      summary: 'Delete an instance',
      examples: ['osb deprovision 7c1e', 'osb deprovision 7c1e --service alpha-db --plan small'],
    }),
  ).action(deprovision)
  ordering(
    add(group, {
      usage: 'bind <instance> [binding]',
      summary: 'Bind an instance and show the credentials',
      examples: ['osb bind 7c1e', 'osb bind 7c1e my-app --app 0a1b -p role=reader -o json'],
    }),
  )
    .option('--service <name>', 'its service, by name or id; asked of the broker when absent')
    .option('--plan <name>', 'its plan, by name or id; asked of the broker when absent')
    .option('--app <guid>', 'the application that is bound')
    .option('--predecessor <binding>', 'rotate: the binding that this one replaces')
    .action(bind)
  removing(
    add(group, {
      usage: 'unbind <instance> <binding>',
      summary: 'Unbind',
      examples: ['osb unbind 7c1e my-app'],
    }),
  ).action(unbind)
}

function registerLooks(group: Command): void {
  withReadiness(
    remote(
      add(group, {
        usage: 'catalog',
        summary: 'Show what a broker offers',
        examples: ['osb catalog', 'osb catalog -o json'],
      }),
    ),
  ).action(catalog)
  remote(
    add(group, {
      usage: 'fetch <instance> [binding]',
      summary: 'Fetch an instance or a binding',
      examples: ['osb fetch 7c1e', 'osb fetch 7c1e my-app -o json'],
    }),
  ).action(fetch)
  remote(
    add(group, {
      usage: 'last-operation <instance> [binding]',
      summary: 'Ask for the state of an operation',
      examples: ['osb last-operation 7c1e', 'osb last-operation 7c1e --operation 01j9'],
    }),
  )
    .option('--operation <id>', 'the operation; the latest when absent')
    .action(lastOperation)
}

function registerJudges(group: Command): void {
  registerCheck(group)
  withOutput(
    withBroker(
      add(group, {
        usage: 'cases [url]',
        summary: 'Run the cases of a fixture against a broker that offers it',
        description:
          'Runs the cases of conformance/osb, or files of your own, against a broker that offers their fixture.',
        examples: ['osb cases http://127.0.0.1:8080 --map map.json', 'osb cases --level MUST -o json'],
      }),
    ),
  )
    .option(
      '--map <file>',
      'ids by symbol, and user and password; else they are found by name in the catalog',
    )
    .option('--level <levels>', 'only these, such as MUST,SHOULD')
    .option('--case <ids>', 'only these cases, such as CAT-001,PRV-024')
    .option('--cases <path>', 'case files of your own')
    .option('--wait <duration>', 'how long one operation of the broker may take', '60s')
    .option('--at-once <count>', 'how many cases run side by side', '1')
    .action(cases)
  withLintOutput(
    withBroker(
      add(group, {
        usage: 'lint <file|url>',
        summary: 'Say what specification, Cloud Foundry and Service Catalog make of a catalog',
        examples: [
          'osb lint catalog.json',
          'osb lint https://broker.example --user me',
          'osb lint - < catalog.json',
        ],
      }),
    ),
  )
    .option('--strict', 'fail for what is legal but discouraged, too')
    .action(lint)
}

function registerCheck(group: Command): void {
  withBroker(
    add(group, {
      usage: 'check [url]',
      summary: 'Say whether a broker does what the specification says',
      description:
        'Checks a broker by the version that it serves. Without --order nothing but GET is sent; with it, one instance of each chosen plan is ordered, changed, bound, and everything is deleted again.',
      examples: [
        'osb check https://broker.example --user me',
        'osb check https://broker.example --user me --order --plan database/small',
        'osb check https://broker.example --token-file token --api-version 2.13 -o junit > check.xml',
      ],
    }),
    'auto',
  )
    .option('--order', 'order, change, bind and delete instances')
    .option(
      '--plan <service[/plan]>',
      'only this one (repeatable)',
      (one: string, all: readonly string[] = []) => [...all, one],
    )
    .option('--paid', 'also plans that cost money')
    .option('--parameters <file>', 'parameters by plan and purpose, where those made from schemas do not do')
    .option('--wait <duration>', 'how long one operation of the broker may take', '15m')
    .option('--budget <duration>', 'begin nothing new after this time', '2h')
    .option('--fail-on <level>', 'the weakest level that fails: MUST, SHOULD or INTEROP', 'MUST')
    .addOption(
      new Option('-o, --output <form>', 'how to print the report').choices([...reportForms]).default('table'),
    )
    .action(check)
}

function remote(command: Command): Command {
  return withOutput(withBroker(command))
}

function waiting(command: Command): Command {
  return remote(command)
    .option('--no-wait', 'return as soon as the order is taken')
    .option('--timeout <duration>', 'how long to wait, such as 90s or 30m', '30m')
}

function ordering(command: Command): Command {
  return waiting(withParameters(command))
}

function removing(command: Command): Command {
  return waiting(command)
    .option('--service <name>', 'its service, by name or id; asked of the broker when absent')
    .option('--plan <name>', 'its plan, by name or id; asked of the broker when absent')
}
