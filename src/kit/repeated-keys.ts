/** Keys that one object of a JSON text has twice: readers differ in which of the two they take. */
import { placesIn } from './json-places.ts'

const mostTold = 10

/** Where they are, as JSON pointers; the text must have been parsed before. */
export function repeatedKeys(text: string): readonly string[] {
  const found: string[] = []
  for (const { pointer, isAgain } of placesIn(text)) {
    if (isAgain) found.push(pointer)
    if (found.length >= mostTold) break
  }
  return found
}
