import { expect, test } from 'vitest'
import { resolveUser } from './user.ts'

const lists = {
  passwd: 'root:x:0:0:root:/root:/bin/sh\napp:x:1000:1001::/home/app:/bin/sh\nweird:x:99999999999:0::/:\n',
  group: 'root:x:0:\nwheel:x:10:app,other\napp:x:1001:\ndocker:x:999:app\n',
}

test.each([
  ['', { uid: 0, gid: 0, groups: [], home: '/root' }],
  ['0', { uid: 0, gid: 0, groups: [], home: '/root' }],
  ['app', { uid: 1000, gid: 1001, groups: [10, 999], home: '/home/app' }],
  ['1000', { uid: 1000, gid: 1001, groups: [10, 999], home: '/home/app' }],
  ['app:wheel', { uid: 1000, gid: 10, groups: [], home: '/home/app' }],
  ['app:77', { uid: 1000, gid: 77, groups: [], home: '/home/app' }],
  ['4711', { uid: 4711, gid: 0, groups: [], home: '/' }],
  ['4711:12', { uid: 4711, gid: 12, groups: [], home: '/' }],
])('the user "%s" is looked up in the lists of the image', (text, user) => {
  expect(resolveUser(text, lists)).toEqual(user)
})

test.each(['nobody', 'app:nogroup', 'weird', '99999999999', '-1'])('the user "%s" is unknown', (text) => {
  expect(() => resolveUser(text, lists)).toThrow(
    expect.objectContaining({ problem: expect.objectContaining({ code: 'engine.user-unknown' }) }),
  )
})

test('an image without lists knows numbers only', () => {
  const none = { passwd: undefined, group: undefined }

  expect(resolveUser('5:6', none)).toEqual({ uid: 5, gid: 6, groups: [], home: '/' })
  expect(() => resolveUser('app', none)).toThrow('user "app"')
})
