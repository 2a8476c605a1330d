/** Writes the reference pages of docs/; a test compares them. */
import { writeFileSync } from 'node:fs'
import { pages } from './pages.ts'

for (const [file, text] of await pages()) {
  writeFileSync(file, text)
  console.log(file)
}
