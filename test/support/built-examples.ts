/** Packages of the examples, built by the commands that `npm start` gives. */
import { vi } from 'vitest'
import { databasePackages, examplePackages } from '../../scripts/example-packages.ts'
import { main } from '../../src/cli/main.ts'

/** Builds those of these folders below examples/ into a folder. */
export async function buildExamples(to: string, folders: readonly string[]): Promise<void> {
  const known = [...examplePackages(to), ...databasePackages(to)]
  const wanted = known.filter(({ folder }) => folders.includes(folder))
  for (const command of wanted.flatMap(({ commands }) => commands)) {
    let said = ''
    const spies = [process.stdout, process.stderr].map((stream) =>
      vi.spyOn(stream, 'write').mockImplementation((chunk) => {
        said += String(chunk)
        return true
      }),
    )
    const code = await main([...command, '-o', 'name']).finally(() => {
      for (const spy of spies) spy.mockRestore()
    })
    if (code !== 0) throw new Error(`${command.join(' ')}: ${said}`)
  }
}
