import { expect, test } from 'vitest'
import { nobodyCan, suiteAsNobody, whyNobodyCannot } from '../../../test/engines/as-nobody.ts'

const spaces = ['unshare', '--user', '--map-root-user', '--mount', 'true']
const missing =
  whyNobodyCannot() ?? (nobodyCan(...spaces) ? undefined : 'this host gives no user namespaces to users')
const why = 'without a runtime system calls are not filtered'
const unfiltered = {
  'new namespaces cannot be made': why,
  'calls that the filters of the field refuse are refused to programs of the host, too': why,
}

for (const [name, runtime, skips] of [
  ['embedded without root', 'auto', {}],
  ['embedded without root and without a runtime', 'plain', unfiltered],
] as const) {
  suiteAsNobody({
    name,
    missing,
    skips,
    open: async () => ({ where: { runtime }, end: async () => undefined }),
    also(told) {
      test('says what it cannot enforce', () => {
        expect(told().checks).toContain('engine.not-enforced')
        expect(told().facts.memoryLimit).toBe(false)
      })
    },
  })
}
