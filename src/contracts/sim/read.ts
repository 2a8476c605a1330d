/** A sim package needs no document: one service that the operator's configuration dresses as it likes. */
import type { Artifact } from '../../model/artifact.ts'
import { noChoice } from '../../model/package.ts'
import type { Reading, Recognition } from '../contract.ts'

export function recogniseSim(artifact: Artifact): Recognition {
  return artifact.reference.startsWith('sim:') ? 'certain' : 'no'
}

export function readSim(artifact: Artifact): Promise<Reading> {
  const name = artifact.reference.slice('sim:'.length) || 'sim'
  return Promise.resolve({
    kind: 'package',
    warnings: [],
    package: {
      contract: 'sim',
      name,
      version: '1.0.0',
      digest: artifact.digest,
      actions: [
        {
          name: 'echo',
          title: 'Answer the parameters',
          description: 'Changes nothing; takes as long and ends as the parameter sim says of a creation.',
          modifies: false,
          stateless: false,
        },
      ],
      notes: null,
      papers: { summary: 'Pretends: takes as long and ends as its parameters say.' },
      services: [
        {
          name,
          description: 'A service that pretends, for trying a platform against a broker.',
          bindable: true,
          tags: [],
          requires: [],
          planUpdatable: true,
          instancesRetrievable: true,
          bindingsRetrievable: true,
          contextUpdates: true,
          plans: [
            {
              name: 'default',
              description: 'Everything is done in the background.',
              free: true,
              bindingRotatable: true,
              schemas: {},
              requiresApp: false,
              mode: { instance: 'async', binding: 'auto' },
              operator: noChoice,
            },
          ],
        },
      ],
    },
  })
}
