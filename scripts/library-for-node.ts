/**
 * The entrance of `chandler/spiff` as it is built for Node: the language, after a small run of it. The engine compiles a function when it is
 * first called, and a call needs about 400 of them, so that the first request of a server would take five times as long as the next. A program
 * that loads the library is about to call it: the same is paid while it loads. In a browser it would hold up the page, so it is not done there.
 */
import { processSpiff } from '../src/languages/spiff/index.ts'

export * from '../src/languages/spiff/index.ts'

const template = `block:
  base: 1
  sum: (( base + 2 * 2 ))
  name: (( "name-" base "-" sum ))
  list: (( map[[1, 2, 3]|x|->x * base] ))
  fallback: (( nosuch.value || name ))
`
const stub = 'block:\n  base: 2\n'

/** What is called often is compiled once more, better: three runs reach that, and more would gain nothing. */
const runs = 3

for (let run = 0; run < runs; run++) {
  const result = processSpiff({ name: 'template', text: template }, [{ name: 'stub', text: stub }])
  if (result.kind === 'done') result.documents[0]?.yaml()
}
