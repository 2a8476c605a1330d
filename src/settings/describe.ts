/** What the table of settings says about itself: a JSON Schema for editors, a page for people. */
import type { Json, JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { Group, Leaf, Members, Node } from './kinds.ts'
import { snake, variableOf } from './names.ts'
import { settingsTable } from './settings.ts'

/** A JSON Schema (2020-12) of the configuration file. */
export function settingsSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration of Chandler',
    ...schemaOf(settingsTable),
  }
}

function schemaOf(node: Node): JsonObject {
  switch (node.kind) {
    case 'leaf':
      return {
        description: node.doc,
        ...node.schema,
        ...present({ default: node.fallback }),
      }
    case 'items':
      return { description: node.doc, type: 'array', items: schemaOf(node.item) }
    case 'group':
      return schemaOfGroup(node)
  }
}

function schemaOfGroup(node: Group<Members>): JsonObject {
  const members = Object.entries(node.members)
  const properties = members.flatMap(([name, member]): [string, Json][] => [
    [name, schemaOf(member)],
    ...(member.kind === 'leaf' && member.secret
      ? [
          [`${snake(name)}_file`, { description: `File that holds ${name}.`, type: 'string' }] as [
            string,
            Json,
          ],
        ]
      : []),
  ])
  const required = members.flatMap(([name, member]) => {
    const demanded = member.kind === 'leaf' && member.required && member.fallback === undefined
    return demanded && !member.secret ? [name] : []
  })
  return {
    ...(node.doc === '' ? {} : { description: node.doc }),
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  }
}

/** The reference of all settings as Markdown. */
export function settingsPage(): string {
  return [
    '# Settings',
    '',
    'Generated from the table of settings; do not edit.',
    '',
    'A value is taken from the first that has it: flag (`--set NAME=VALUE`), environment variable, the file of',
    '`--config` or `CHANDLER_CONFIG`, the files of `conf.d/` beside it (later names win), the platform (`PORT`,',
    '`DATABASE_URL`, `VCAP_SERVICES`, `POD_NAME`), the default. Maps are merged key by key, lists and single values',
    'are replaced. Keys may be written in camelCase or snake_case; unknown keys are refused.',
    'Durations are written `250ms`, `30s`, `5m`, `2h`, `7d`; sizes `64KiB`, `10MiB`, `1GB`. A secret `x` may also be',
    'given as `x_file`, the path of a file that holds it. Relative paths are relative to the file that names them.',
    'R marks settings that the broker takes over on SIGHUP, without a restart.',
    '',
    ...sections(settingsTable, ''),
  ].join('\n')
}

function sections(node: Group<Members>, path: string): readonly string[] {
  const members = Object.entries(node.members)
  const name = (key: string) => (path === '' ? key : `${path}.${key}`)
  const rows = members.flatMap(([key, member]) => (member.kind === 'leaf' ? [row(name(key), member)] : []))
  const table = [
    '| setting | variable | value | default | R | meaning |',
    '|---|---|---|---|---|---|',
    ...rows,
    '',
  ]
  const inner = members.flatMap(([key, member]) => {
    if (member.kind === 'leaf') return []
    const [group, title] = member.kind === 'items' ? [member.item, `${name(key)}[]`] : [member, name(key)]
    return [`## ${title}`, '', group.doc, '', ...sections(group, title)]
  })
  return [...(rows.length === 0 ? [] : table), ...inner]
}

function row(path: string, leaf: Leaf<unknown>): string {
  const given = path.includes('[') ? '' : `\`${variableOf(path)}\``
  const usual = leaf.fallback === undefined ? fallbackText(leaf) : `\`${JSON.stringify(leaf.fallback)}\``
  const cells = [`\`${path}\``, given, leaf.written, usual, leaf.reload ? 'R' : '', leaf.doc]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function fallbackText(leaf: Leaf<unknown>): string {
  return leaf.required ? 'required' : ''
}
