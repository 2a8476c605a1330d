/** What may come next on a command line: commands, options, their values, and names that the broker knows. */
import type { Command, Option } from 'commander'
import type { Client } from '../client/client.ts'
import type { CommandRow } from './command.ts'
import { connect } from './connection.ts'
import { readContexts } from './contexts.ts'
import { commandFirst } from './word-order.ts'

/** The words that may follow those typed so far (without the program's name). Nothing that goes wrong is told. */
export async function wordsAfter(
  typed: readonly string[],
  commands: readonly CommandRow[],
  root: Command,
): Promise<readonly string[]> {
  const [first] = commandFirst(typed, root)
  const row = commands.find((one) => one.name === first || one.aliases?.includes(first ?? ''))
  if (row === undefined) return commands.flatMap(({ name, aliases = [] }) => [name, ...aliases])
  ;(await row.load()).register(root, commands)
  const { command, rest } = descend(root, commandFirst(typed, root))
  const option = command.options.find(
    (one) => takesValue(one) && `${one.short} ${one.long}`.split(' ').includes(rest.at(-1) ?? ''),
  )
  if (option !== undefined) return valuesOf(option, command, rest)
  const { operands } = command.parseOptions([...rest])
  const below = command.commands.filter((one) => !isHidden(one)).map((one) => one.name())
  const options = command.options.flatMap((one) => one.long ?? [])
  return [...(await operandsOf(command, operands)), ...below, ...options, '--help']
}

function descend(
  root: Command,
  words: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } {
  let command = root
  let i = 0
  for (; i < words.length; i++) {
    const child = command.commands.find(
      (one) => one.name() === words[i] || one.aliases().includes(words[i] ?? ''),
    )
    if (child === undefined) break
    command = child
  }
  return { command, rest: words.slice(i) }
}

function takesValue(option: Option): boolean {
  return option.required || option.optional
}

function isHidden(command: Command): boolean {
  return (command as unknown as { readonly _hidden?: boolean })._hidden === true
}

async function valuesOf(
  option: Option,
  command: Command,
  rest: readonly string[],
): Promise<readonly string[]> {
  if (option.argChoices !== undefined) return option.argChoices
  if (option.long === '--context') return contextNames()
  command.parseOptions(rest.slice(0, -1))
  const ask = named[option.long?.slice(2) ?? '']
  return ask === undefined ? [] : asked(command, (client) => ask(client, []))
}

async function operandsOf(command: Command, operands: readonly string[]): Promise<readonly string[]> {
  const argument = command.registeredArguments[operands.length] ?? command.registeredArguments.at(-1)
  if (argument === undefined || (operands.length >= command.registeredArguments.length && !argument.variadic))
    return []
  if (argument.argChoices !== undefined) return argument.argChoices
  if (command.parent?.name() === 'context') return contextNames()
  const ask = command.options.some(({ long }) => long === '--server') ? named[argument.name()] : undefined
  return ask === undefined ? [] : asked(command, (client) => ask(client, operands))
}

/** By the name of an argument or option: what the broker calls such things. */
const named: Readonly<
  Record<string, ((client: Client, before: readonly string[]) => Promise<readonly string[]>) | undefined>
> = {
  instance: async (client) => {
    const { items } = await client.instances({ limit: 500, present: true })
    return items.map(({ name, id }) => name ?? id)
  },
  operation: async (client) => {
    const { items } = await client.operations({ limit: 50 })
    return items.map(({ id }) => id)
  },
  service: async (client) => (await client.catalog()).services.map(({ name }) => name),
  plan: async (client, [service]) => {
    const { services } = await client.catalog()
    const meant = services.filter(({ name, id }) => service === undefined || [name, id].includes(service))
    return meant.flatMap(({ plans }) => plans.map(({ name }) => name))
  },
  binding: async (client, [instance]) => {
    const { items } = await client.instances({ text: instance ?? '', limit: 2, present: true })
    const [only, other] = items
    if (only === undefined || other !== undefined) return []
    const bindings = await client.bindings({ platform: only.platform, instance: only.id })
    return bindings.items.map(({ id }) => id)
  },
}

/** How long a person waits for names. */
const patienceMs = 1500

async function asked(
  command: Command,
  ask: (client: Client) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  try {
    const words = await ask(await connect(command, { timeoutMs: patienceMs }))
    // A shell takes what stands on a line as a word.
    return words.filter((word) => /^[\p{L}\p{N}._:@+/-]+$/u.test(word))
  } catch {
    return []
  }
}

async function contextNames(): Promise<readonly string[]> {
  try {
    return (await readContexts()).contexts.map(({ name }) => name)
  } catch {
    return []
  }
}
