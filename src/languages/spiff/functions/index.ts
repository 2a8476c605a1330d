/** The table of builtin functions. */
import type { SpiffFunction } from '../env.ts'
import { addressFunctions } from './addresses.ts'
import { archiveFunctions } from './archive.ts'
import { convertFunctions } from './convert.ts'
import { documentFunctions } from './documents.ts'
import { formatFunctions } from './format.ts'
import { listFunctions } from './lists.ts'
import { randomFunctions } from './random.ts'
import { secretFunctions } from './secrets.ts'
import { semverFunctions } from './semver.ts'
import { stringFunctions } from './strings.ts'
import { systemFunctions } from './system.ts'
import { urlFunctions } from './url.ts'
import { validateFunctions } from './validate.ts'
import { x509Functions } from './x509.ts'

export const builtins: ReadonlyMap<string, SpiffFunction> = new Map<string, SpiffFunction>([
  ...addressFunctions,
  ...archiveFunctions,
  ...convertFunctions,
  ...documentFunctions,
  ...formatFunctions,
  ...listFunctions,
  ...randomFunctions,
  ...secretFunctions,
  ...semverFunctions,
  ...stringFunctions,
  ...systemFunctions,
  ...urlFunctions,
  ...validateFunctions,
  ...x509Functions,
])
