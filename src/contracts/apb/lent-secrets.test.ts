/** Secrets that an operator lends to a bundle. */
import { describe, expect, test } from 'vitest'
import { argumentsOf, jobFor, packageOf, situation } from '../../../test/apb/stage.ts'
import { Secret } from '../../kit/secret.ts'

const plans = '[{name: dev, description: small}]'
const spec = `{version: 1.0, name: lent-apb, description: takes a secret, bindable: false, async: optional, plans: ${plans}}`

describe('lent secrets', () => {
  const infrastructure = { 'db-admin/admin_password': new Secret('t0p') }

  test('are mounted as Kubernetes mounts them, and given as parameters', async () => {
    const job = jobFor({ kind: 'provision' }, { ...situation(await packageOf(spec)), infrastructure })
    const links = job.files.flatMap(({ path, content }) =>
      content.kind === 'link' ? [[path, content.target]] : [],
    )

    expect(Object.fromEntries(links)).toEqual({
      '/etc/apb-secrets/apb-db-admin/..data': '..2000_01_01_00_00_00.000000000',
      '/etc/apb-secrets/apb-db-admin/admin_password': '..data/admin_password',
    })
    expect(argumentsOf(job).vars['admin_password']).toBe('t0p')
  })
})
