import { afterEach, expect, test, vi } from 'vitest'
import { hearPrinted } from '../../test/support/run-command.ts'
import { forms, printList, printOne } from './output.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

const hostile = 'a\u001b[31m\u009b2J\u202egnp.exe\u200b\u007f\nb'

test.each(forms)(
  'what platforms and packages call themselves cannot steer a terminal: -o %s',
  async (form) => {
    const printed = hearPrinted()
    const listing = { kind: 'Things', columns: [{ title: 'NAME', of: (text: string) => text }], empty: '' }
    await printList(form, { ...listing, items: [hostile], name: (text) => text })
    await printOne(form, { kind: 'Thing', value: { hostile }, name: hostile, fields: [['Name', hostile]] })

    expect(printed()).toMatch(/^[\n\P{C}]*$/u)
    if (form === 'json') expect(JSON.parse(`{${printed().split('\n{')[1]}`)).toMatchObject({ hostile })
    if (form === 'name') expect(printed().trim().split('\n')).toHaveLength(2)
  },
)
