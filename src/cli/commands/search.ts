/** chandler search: what has a name or id that begins so. */
import type { Command } from 'commander'
import { present } from '../../kit/present.ts'
import { add } from '../command.ts'
import { connect, withConnection } from '../connection.ts'
import { type Form, printList, withOutput } from '../output.ts'

export function register(program: Command): void {
  const command = add(program, {
    usage: 'search <text>',
    summary: 'Find instances, services, bindings and operations by the beginning of a name or id',
    examples: ['search my-', 'search 3f2a -o json'],
  })
  withOutput(withConnection(command)).action(async (text: string, { output }: { output: Form }) => {
    const found = await (await connect(command)).search(text)
    const items = [
      ...found.services.map(({ id, name, description }) => row('service', id, name, description)),
      ...found.instances.map(({ id, name, state }) => row('instance', id, name, state)),
      ...found.bindings.map(({ id, instance, state }) =>
        row('binding', id, undefined, `${state}, of ${instance}`),
      ),
      ...found.operations.map(({ id, action, state, instance }) =>
        row('operation', id, undefined, `${action} of ${instance}, ${state}`),
      ),
    ]
    await printList(output, {
      kind: 'SearchResult',
      items,
      empty: `Nothing begins with ${text}.`,
      name: ({ id }) => id,
      columns: [
        { title: 'KIND', of: ({ kind }) => kind },
        { title: 'NAME', of: ({ name }) => name ?? '-' },
        { title: 'ID', of: ({ id }) => id },
        { title: 'IS', of: ({ about }) => about },
      ],
    })
  })
}

function row(kind: string, id: string, name: string | undefined, about: string) {
  return { kind, id, ...present({ name }), about }
}
