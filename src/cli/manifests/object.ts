/** What all objects of a broker have in common. */
import type { JsonObject } from '../../kit/json.ts'
import type { Values } from './values.ts'

/** What the pods of a broker are found by; pods of runs have another name, whatever namespace they are in. */
export const brokerLabels = { 'app.kubernetes.io/name': 'chandler', 'app.kubernetes.io/component': 'broker' }

interface Spec {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly labels?: JsonObject
  readonly annotations?: JsonObject
  readonly body: JsonObject
}

/** An object in the namespace of the broker. */
export function brokerObject({ namespace }: Pick<Values, 'namespace'>, spec: Spec): JsonObject {
  const { apiVersion, kind, name, labels = {}, annotations, body } = spec
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      labels: { ...brokerLabels, ...labels },
      ...(annotations === undefined || Object.keys(annotations).length === 0 ? {} : { annotations }),
    },
    ...body,
  }
}
