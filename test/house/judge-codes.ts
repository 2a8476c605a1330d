/** Whether every problem code is named in a test. */
import type { Fault, House } from './rules.ts'

/** The codes of the closed list that no test names. */
export function judgeCodes({ files, tests }: House): readonly Fault[] {
  const all = tests.join('\n')
  return [...files]
    .filter(([path]) => path.startsWith('model/problems/'))
    .flatMap(([path, text]) =>
      [...text.matchAll(/^ {2}'([a-z-]+(?:\.[a-z-]+)+)': \{/gm)].flatMap(([, code = '']) =>
        all.includes(code) ? [] : [{ at: path, rule: 'code-untested', found: `no test names ${code}` }],
      ),
    )
}
