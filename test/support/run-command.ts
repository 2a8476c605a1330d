/** Runs commands of the command line in this process, as their users do. */
import { Command } from 'commander'
import { vi } from 'vitest'

/** Makes the commands say nothing; answers what was printed so far. */
export function hearPrinted(): () => string {
  const written: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    written.push(String(chunk))
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
  return () => written.join('')
}

/** Runs one of what is registered; answers what it printed, and rejects as it does. */
export async function runCommand(
  register: (program: Command) => void,
  words: readonly string[],
): Promise<string> {
  const printed = hearPrinted()
  const program = new Command()
  register(program)
  for (const command of withAllBelow(program))
    command.exitOverride().configureOutput({ writeErr: () => undefined })
  // A command may set variables for what it starts; they end with its process.
  const environment = { ...process.env }
  try {
    await program.parseAsync([...words], { from: 'user' })
  } finally {
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
    Object.assign(process.env, environment)
  }
  return printed()
}

function withAllBelow(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(withAllBelow)]
}
