import { expect, test } from 'vitest'
import {
  admitBind,
  admitBindTo,
  admitDeprovision,
  admitProvision,
  admitUnbind,
  admitUpdate,
} from './admission.ts'

test.each([
  [undefined, true, 'start'],
  ['gone', false, 'start'],
  ['provisioning', true, 'same-operation'],
  ['provisioning', false, 'conflict'],
  ['ready', true, 'exists'],
  ['ready', false, 'conflict'],
  ['updating', true, 'busy'],
  ['updating', false, 'conflict'],
  ['failed', true, 'clear-and-start'],
  ['failed', false, 'clear-and-start'],
  ['deprovisioning', true, 'busy'],
  ['deprovisioning', false, 'busy'],
] as const)('PUT of an instance that is %s (same request: %s) gives %s', (state, same, verdict) => {
  expect(admitProvision(state, same)).toBe(verdict)
})

test.each([
  [undefined, false, 'unknown'],
  ['gone', false, 'unknown'],
  ['failed', false, 'unknown'],
  ['ready', false, 'start'],
  ['provisioning', false, 'busy'],
  ['updating', true, 'same-operation'],
  ['updating', false, 'busy'],
  ['deprovisioning', false, 'busy'],
] as const)('PATCH of an instance that is %s (same update: %s) gives %s', (state, same, verdict) => {
  expect(admitUpdate(state, same)).toBe(verdict)
})

test.each([
  [undefined, 'unknown'],
  ['gone', 'unknown'],
  ['provisioning', 'cancel-and-start'],
  ['ready', 'start'],
  ['failed', 'start'],
  ['updating', 'busy'],
  ['deprovisioning', 'same-operation'],
] as const)('DELETE of an instance that is %s gives %s', (state, verdict) => {
  expect(admitDeprovision(state)).toBe(verdict)
})

test.each([
  [undefined, false, 'start'],
  ['gone', true, 'start'],
  ['failed', true, 'clear-and-start'],
  ['binding', true, 'same-operation'],
  ['binding', false, 'conflict'],
  ['bound', true, 'exists'],
  ['bound', false, 'conflict'],
  ['unbinding', true, 'busy'],
] as const)('PUT of a binding that is %s (same request: %s) gives %s', (state, same, verdict) => {
  expect(admitBind(state, same)).toBe(verdict)
})

test.each([
  [undefined, 'unknown'],
  ['gone', 'unknown'],
  ['failed', 'failed'],
  ['ready', 'start'],
  ['provisioning', 'busy'],
  ['updating', 'busy'],
  ['deprovisioning', 'busy'],
] as const)('a bind to an instance that is %s gives %s', (state, verdict) => {
  expect(admitBindTo(state)).toBe(verdict)
})

test.each([
  [undefined, 'unknown'],
  ['gone', 'unknown'],
  ['binding', 'cancel-and-start'],
  ['bound', 'start'],
  ['failed', 'start'],
  ['unbinding', 'same-operation'],
] as const)('DELETE of a binding that is %s gives %s', (state, verdict) => {
  expect(admitUnbind(state)).toBe(verdict)
})
