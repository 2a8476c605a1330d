/** Files of values, as operators write them for manifests. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshFolder } from './image.ts'

/** The one value that has no default. */
export const image = 'image: registry.example/chandler:0.1.0\n'

/** Writes values into a file of their own. */
export function valuesFile(text: string): string {
  const file = join(freshFolder('manifests'), 'values.yml')
  writeFileSync(file, text)
  return file
}
