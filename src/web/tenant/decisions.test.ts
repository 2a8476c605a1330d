/** What the form of a tenant sends, and the command beside it: the same, and only what was changed. */
import { expect, test } from 'vitest'
import { changeOf, fillingOf, newTenant, optionsOf, type Rule } from './decisions.ts'

const rule: Rule = {
  ...{ name: 'acme', from: 'store', instances: 20, engine: 'podman' },
  services: ['demo', 'redis/small'],
}
const before = fillingOf(rule)

test.each([
  ['nothing', {}, {}, []],
  ['a number', { instances: '50' }, { instances: 50 }, ['--instances', '50']],
  ['a number that is none', { queued: ' 0 ' }, { queued: 0 }, ['--queued', '0']],
  ['spaces around a number', { instances: ' 20 ' }, {}, []],
  [
    'services, in lines or with commas',
    { services: 'demo\n\nredis/large, queue\n' },
    { services: ['demo', 'redis/large', 'queue'] },
    ['--service', 'demo', '--service', 'redis/large', '--service', 'queue'],
  ],
  [
    'what is emptied',
    { engine: '', instances: '' },
    { instances: null, engine: null },
    ['--unset', 'instances', '--unset', 'engine'],
  ],
  [
    'several at once',
    { network: 'none', logs: 'operators', ordersPerMinute: '7' },
    { ordersPerMinute: 7, network: 'none', logs: 'operators' },
    ['--orders-per-minute', '7', '--network', 'none', '--logs', 'operators'],
  ],
])('%s', (_name, edits, change, options) => {
  const made = changeOf(before, { ...before, ...edits })

  expect([made, optionsOf(made)]).toEqual([change, options])
})

test('a new tenant is what the fields say, and nothing of empty ones', () => {
  expect(newTenant('trial/*', { ...fillingOf(undefined), bindings: '3' })).toEqual({
    ...{ name: 'trial/*', bindings: 3 },
  })
})
