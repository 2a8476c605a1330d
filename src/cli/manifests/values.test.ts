/** What is wrong with the values that manifests are made of. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { image, valuesFile } from '../../../test/support/manifest-values.ts'
import { runCommand } from '../../../test/support/run-command.ts'
import { apart, describePlace, toProblem } from '../../model/problem.ts'
import { register } from '../commands/manifests.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

describe('what is wrong with values', () => {
  test.each<[what: string, text: string, line: number | undefined, told: RegExp]>([
    ['no image', 'replicas: 2', undefined, /image is required/],
    ['a value that there is none of', `${image}replica: 2`, 2, /did you mean replicas/],
    ['an image without a host', 'image: chandler', 1, /must look like HOST/],
    ['no broker', `${image}replicas: 0`, 2, /at least 1/],
    ['a version that YAML takes for a number', `${image}kubernetes: 1.20`, 2, /must be a text, not 1\.2/],
    ['a version too old', `${image}kubernetes: v1.18`, 2, /v1\.19 or newer/],
    ['a namespace in capitals', `${image}namespace: Chandler`, 2, /a namespace/],
    ['one namespace for both', `${image}runs:\n  namespace: chandler`, 3, /without the broker/],
    ['a quantity without a unit', `${image}resources: {memory: '512'}`, 2, /512Mi or 1Gi/],
    [
      'less memory than asked for',
      `${image}resources: {memory: 2Gi}`,
      undefined,
      /at least resources\.memory, 2Gi/,
    ],
    ['no time to end', `${image}drain: 30s`, 2, /5 seconds more than operations\.syncWait, 55s/],
    ['a label that is a number', `${image}ingress: {namespaceLabels: {a: 1}}`, 2, /in quotes/],
    ['an address that is no network', `${image}ingress: {addresses: [here]}`, 2, /192\.0\.2\.0/],
    ['two things at one place', `${image}secrets: [a, a]`, 2, /two things would lie at \/run\/secrets\/a/],
    ['a Secret at the place of the key ring', `${image}secrets: [key-ring]`, 2, /two things/],
    ['a setting that there is none of', `${image}configuration:\n  htp: {}`, 3, /did you mean http/],
    ['a setting that is wrong', `${image}configuration:\n  logs: {level: loud}`, 3, /must be one of/],
    [
      'a package reference that is none',
      `${image}configuration:\n  catalog: [{package: 'docker://'}]`,
      3,
      /package reference/,
    ],
    [
      'an address of the broker',
      `${image}configuration:\n  http: {listen: '0.0.0.0:1'}`,
      3,
      /decide http\.listen/,
    ],
    ['a store', `${image}configuration:\n  store: {url: sqlite}`, 3, /decide store\.url/],
    [
      'a password',
      `${image}configuration:\n  auth:\n    users:\n      - {name: a, role: admin, password: x}`,
      5,
      /ConfigMap/,
    ],
    [
      'a role that there is none of',
      `${image}configuration:\n  auth:\n    users:\n      - {name: a, role: amdin, password_file: /nowhere/a}`,
      4,
      /has the role amdin, and there is none/,
    ],
    [
      'an account that can give nothing',
      `${image}configuration:\n  auth:\n    users:\n      - {name: a, role: admin}`,
      4,
      /neither password nor token/,
    ],
    [
      'a tenant in a namespace without a role',
      `${image}configuration:\n  tenants: [{name: acme, engine: kubernetes/acme}]`,
      3,
      /furtherNamespaces lacks acme/,
    ],
    [
      'two accounts with a token of one file',
      `${image}configuration:\n  auth:\n    users: [${['a', 'b'].map((name) => `{name: ${name}, role: admin, token_file: /nowhere/t}`).join()}]`,
      4,
      /the same token twice/,
    ],
    [
      'a token in snake case',
      `${image}configuration: {auth: {users: [{name: a, role: admin, previous_token: x}]}}`,
      2,
      /ConfigMap/,
    ],
  ])('%s', async (_what, text, line, told) => {
    const problems = await problemsOf(text)
    const found = problems.filter(({ detail = '' }) => told.test(detail))

    expect(problems.map(({ detail }) => detail)).toHaveLength(1)
    expect(found.map(({ where }) => where?.line)).toEqual([line])
  })

  test('all at once, each with its place', async () => {
    const text = 'replicas: 0\nnamespace: A\nconfiguration:\n  store: {url: sqlite}\n  engine: 3\n'
    const told = (await problemsOf(text)).map(({ where }) => describePlace(where)?.replace(/^\S+ /, ''))

    expect(told.toSorted()).toEqual(
      [
        undefined,
        'line 1, /replicas',
        'line 2, /namespace',
        'line 4, /configuration/store/url',
        'line 5, /configuration/engine',
        'line 5, /configuration/engine',
      ].toSorted(),
    )
  })
})

async function problemsOf(values: string) {
  try {
    await runCommand(register, ['manifests', valuesFile(values)])
  } catch (error) {
    return apart(toProblem(error))
  } finally {
    vi.restoreAllMocks()
  }
  return []
}
