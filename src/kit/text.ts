/** Words for people: did-you-mean, plural, shortening, making a text safe to show. */

/** No misspelt word is longer, and comparing long ones takes time. */
const wordMax = 200

/** The candidate that is nearest to a misspelt word, if one is near enough. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word.length > wordMax) return undefined
  let best: string | undefined
  let least = Math.max(2, Math.floor(word.length / 3)) + 1
  const written = word.toLowerCase()
  for (const candidate of candidates) {
    const distance = distanceBelow(least, written, candidate.toLowerCase())
    if (distance < least) {
      least = distance
      best = candidate
    }
  }
  return best
}

/** "1 plan", "2 plans". */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : nouns}`
}

/** Cuts a text to a number of characters and says so with an ellipsis. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, Math.max(0, most - 1))}…`
}

/** Replaces control and direction-changing characters, which could deceive a terminal or a log reader. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (sign) => (sign === '\n' || sign === '\t' ? sign : '\ufffd'))
}

/** The edits that make one word the other, or `most` where it takes as many or more. */
function distanceBelow(most: number, a: string, b: string): number {
  // The shorter one lacks so many letters at least.
  if (Math.abs(a.length - b.length) >= most) return most
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
    if (Math.min(...row) >= most) return most
  }
  return row[b.length] ?? 0
}

const colours = /\p{Cc}\[[0-9;]*[A-Za-z]/gu

/** The last lines that say something, oldest first: without colours and control characters, each and all together bounded. */
export function lastLines(
  text: string,
  most: { readonly lines: number; readonly characters: number },
): readonly string[] {
  const kept: string[] = []
  let left = most.characters
  for (const line of text.split(/[\r\n]+/).reverse()) {
    const plain = printable(line.replace(colours, '')).trim()
    if (plain === '') continue
    if (kept.length === most.lines || left <= 0) break
    kept.unshift(shorten(plain, left))
    left -= plain.length
  }
  return kept
}

/** A number of bytes for people: 512 B, 3.2 MiB. */
export function sizeText(bytes: number): string {
  const power = Math.min(4, Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)))
  const value = bytes / 1024 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${['B', 'KiB', 'MiB', 'GiB', 'TiB'][power]}`
}
