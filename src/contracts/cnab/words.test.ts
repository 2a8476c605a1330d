import { expect, test } from 'vitest'
import { describeHealth, readHealth } from './health.ts'
import { isGraphic, judgeBundleVersion, judgeSchemaVersion } from './words.ts'

test.each([
  ['v1', 'known'],
  ['1.0.0', 'known'],
  ['v1.2.0', 'known'],
  ['1.3.0', 'unknown'],
  ['v1.0.0-WD', 'unknown'],
  ['1', 'unknown'],
  ['', 'invalid'],
  ['one', 'invalid'],
  ['1.2.3.4', 'invalid'],
])('the schema version %j is %s', (text, verdict) => {
  expect(judgeSchemaVersion(text)).toBe(verdict)
})

test.each([
  ['1.2.3', 'ok'],
  ['1.2.3-rc.1+build', 'ok'],
  ['1.2', 'warn'],
  ['v1.2.3', 'warn'],
  ['01.2.3', 'warn'],
  ['latest', 'invalid'],
])('the version %j is %s', (text, verdict) => {
  expect(judgeBundleVersion(text)).toBe(verdict)
})

test.each([
  ['plain-name_1', true],
  ['名前 with blanks', true],
  ['tab\there', false],
  ['zero\u200bwidth', false],
  ['', false],
])('%j can be printed: %s', (text, verdict) => {
  expect(isGraphic(text)).toBe(verdict)
})

test.each([
  ['{"status":"Ready"}', 'Ready'],
  ['{"status":"Degraded","components":{"a":{"status":"Failed"},"b":{}}}', 'Degraded (failed: a)'],
  ['{}', 'unknown'],
  ['not json', 'unknown'],
  [`${'{"components":{"a":'.repeat(100)}1${'}}'.repeat(100)}`, 'unknown'],
])('the health %j is told as %j', (text, told) => {
  expect(describeHealth(readHealth(text))).toBe(told)
})
