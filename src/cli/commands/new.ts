/** chandler new: a package to start with, of whatever contract, with examples that pass. */
import { Argument, type Command } from 'commander'
import { type SourceKind, sourceKinds } from '../../authoring/sources/kind.ts'
import { startingBundle as startingApb } from '../apb/starting-bundle.ts'
import { startingBundle as startingCnab } from '../cnab/starting-bundle.ts'
import { add } from '../command.ts'
import { type Form, withOutput } from '../output.ts'
import { startingPak } from '../pak/starting-pak.ts'
import { startingComponents } from '../toi/starting-components.ts'
import { startingPattern } from '../tweed/starting-pattern.ts'
import { nameOfFolder, type StartingFile, shellPath, startFolder } from '../write-files.ts'

const base = 'docker.io/ansibleplaybookbundle/apb-base:latest'

/** The files of a new package of each contract. */
const starts: Readonly<Record<SourceKind, (name: string) => readonly StartingFile[]>> = {
  tweed: (name) => [...startingPattern(name), examples(`{username: '/^user-/'}`)],
  apb: (name) => [
    ...startingApb({ name, kind: 'shell', base, async: 'optional', bindable: true }),
    examples('{}', 'greeting: hello'),
  ],
  brokerpak: (name) => [...startingPak(name), examples('{uri: word://localhost}', 'word: hello')],
  cnab: (name) => [...startingCnab(name), examples(`{uri: '/^greet:/'}`, 'greeting: hello')],
  toi: (name) => [...startingComponents(name), examples(`{password: '/^[0-9a-f]{32}$/'}`, 'greeting: hello')],
}

export function register(program: Command): void {
  const command = add(program, {
    usage: 'new',
    summary: 'Write a package to start with, of whatever contract',
    description:
      'Writes a small package that passes lint and test, with examples.yml. Nothing that exists is overwritten.',
    examples: ['new tweed my-pattern', 'new cnab my-bundle && chandler test my-bundle'],
  })
    .addArgument(new Argument('<contract>', 'of which contract').choices([...sourceKinds]))
    .argument('[folder]', 'where to; named after the contract when absent')
  withOutput(command).action(
    async (contract: SourceKind, folder: string | undefined, { output }: { readonly output: Form }) => {
      const place = folder ?? `my-${contract}`
      const files = starts[contract](nameOfFolder(place))
      await startFolder(output, { contract, folder: place, files, next: `chandler dev ${shellPath(place)}` })
    },
  )
}

function examples(credentials: string, parameters?: string): StartingFile {
  return {
    path: 'examples.yml',
    text: `# Lived by "chandler test": values as they are, or patterns between slashes.
examples:
  - name: defaults
    expect:
      credentials: ${credentials}
${parameters === undefined ? '' : `  - name: with parameters\n    parameters: {${parameters}}\n    expect:\n      credentials: ${credentials}\n`}`,
  }
}
