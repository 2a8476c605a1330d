/** The closed list of everything that may go wrong: code, title, hint, HTTP status, exit code. */
import { accessProblems } from './problems/access.ts'
import { apbProblems } from './problems/apb.ts'
import { artifactProblems } from './problems/artifacts.ts'
import { brokerProblems } from './problems/broker.ts'
import { brokerpakProblems } from './problems/brokerpak.ts'
import { cnabProblems } from './problems/cnab.ts'
import { cnabToolProblems } from './problems/cnab-tools.ts'
import { engineProblems } from './problems/engines.ts'
import { languageProblems } from './problems/languages.ts'
import { ocmProblems } from './problems/ocm.ts'
import { osbClientProblems } from './problems/osb-client.ts'
import { signatureProblems } from './problems/signatures.ts'
import { systemProblems } from './problems/system.ts'
import { toiProblems } from './problems/toi.ts'
import { tweedProblems } from './problems/tweed.ts'

export const problemCodes = {
  ...accessProblems,
  ...apbProblems,
  ...artifactProblems,
  ...brokerProblems,
  ...brokerpakProblems,
  ...cnabToolProblems,
  ...cnabProblems,
  ...engineProblems,
  ...languageProblems,
  ...ocmProblems,
  ...osbClientProblems,
  ...signatureProblems,
  ...systemProblems,
  ...toiProblems,
  ...tweedProblems,
} as const

export type ProblemCode = keyof typeof problemCodes
