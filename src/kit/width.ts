/** How many columns of a terminal a text takes: Chinese, Japanese, Korean and emoji take two, marks that stand over letters none. */

const plain = /^[\x20-\x7e]*$/
const wide =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\u30a0-\u30ff\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|\ufe0f/u
const nothing = /^[\p{Mark}\p{Cf}\p{Cc}]*$/u

/** The columns that a text takes. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const { segment } of signsOf(text)) width += widthOfSegment(segment)
  return width
}

/** Cuts a text to a number of columns and says so with an ellipsis; what a person sees as one sign is not cut apart. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let kept = ''
  let left = Math.max(0, columns - 1)
  for (const { segment } of signsOf(text)) {
    left -= widthOfSegment(segment)
    if (left < 0) break
    kept += segment
  }
  return `${kept}…`
}

/** Fills a text up with blanks to a number of columns. */
export function padTo(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)))
}

/** What a person sees as one sign each. */
function signsOf(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** Made for the first text that is not plain, since making it takes longer than the rest of a small command. */
let segmenter: Intl.Segmenter | undefined

function widthOfSegment(segment: string): number {
  if (nothing.test(segment)) return 0
  return wide.test(segment) ? 2 : 1
}
