import { expect, test } from 'vitest'
import { bundleOf } from '../../../test/cnab/stage.ts'
import { standardEnvironment } from './run.ts'

test.each([
  ['mine', '', 'mine'],
  ['staging/mine', 'staging', 'mine'],
  ['staging/mine-db', 'staging', 'mine-db'],
])('run tools of Porter are told the namespace of %s apart', (installation, namespace, name) => {
  const bundle = bundleOf({ custom: { 'sh.porter': {} } })
  const told = standardEnvironment({ bundle, action: 'install', installation, revision: 'r' })

  expect(told).toMatchObject({
    CNAB_INSTALLATION_NAME: installation,
    PORTER_INSTALLATION_ID: installation,
    PORTER_INSTALLATION_NAME: name,
    PORTER_INSTALLATION_NAMESPACE: namespace,
  })
})
