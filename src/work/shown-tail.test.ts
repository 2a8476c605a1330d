import { expect, test } from 'vitest'
import { openShownTail } from './shown-tail.ts'

test('much output behind an error does not push the error out', () => {
  const tail = openShownTail()
  tail.add('destroy', 'stderr', Buffer.from('Error: in use\n'))
  for (let i = 0; i < 100; i++) tail.add('destroy', 'stdout', Buffer.from(`${'x'.repeat(200)} ${i}\n`))

  expect(tail.text()).toMatch(/^Error: in use\nx/)
  expect(tail.text()).toMatch(/x 99\n$/)
  expect(tail.text().length).toBe(8 * 1024 + 'Error: in use\n'.length)
})

test('pieces of both streams stand in the order in which they came, those of the last step that wrote', () => {
  const tail = openShownTail()
  tail.add('init', 'stderr', Buffer.from('of init\n'))
  tail.add('apply', 'stdout', Buffer.from('one\n'))
  tail.add('apply', 'stderr', Buffer.from('two\n'))
  tail.add('apply', 'system', Buffer.from('a remark\n'))
  tail.add('apply', 'stdout', Buffer.from('three\n'))

  expect(tail.text()).toBe('one\ntwo\nthree\n')
})
