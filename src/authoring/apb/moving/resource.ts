/** A custom resource of the original broker, or what stands for one. */
import type { JsonObject } from '../../../kit/json.ts'

export interface Resource {
  readonly kind: string
  readonly name: string
  /** Empty where the dump does not say it. */
  readonly namespace: string
  readonly labels: JsonObject
  readonly spec: JsonObject
  readonly status: JsonObject
  /** Of Secrets in base64, of ConfigMaps as it is. */
  readonly data: JsonObject
}
