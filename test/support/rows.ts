/** Instances, bindings and operations for tests, complete but for what the test is about. */
import { systemChance } from '../../src/kit/clock.ts'
import { ulid } from '../../src/kit/id.ts'
import type { Binding, Instance } from '../../src/model/instance.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { NewAuditRecord } from '../../src/store/store.ts'

const birth = Date.UTC(2030, 0, 1)

export function anInstance(given: Partial<Instance> = {}): Instance {
  return {
    platform: 'cf',
    instance: 'i-1',
    state: 'ready',
    tenant: 'cf/org/space',
    generation: 1,
    serviceId: 'service-1',
    planId: 'plan-1',
    digest: 'sha256:1',
    organization: 'org',
    space: 'space',
    createdAt: birth,
    updatedAt: birth,
    ...given,
  }
}

export function aBinding(given: Partial<Binding> = {}): Binding {
  return {
    platform: 'cf',
    instance: 'i-1',
    binding: 'b-1',
    state: 'bound',
    serviceId: 'service-1',
    planId: 'plan-1',
    createdAt: birth,
    updatedAt: birth,
    ...given,
  }
}

let count = 0

export function anOperation(given: Partial<Operation> = {}): Operation {
  return {
    // One millisecond apart, so that the order of making is the order of ids.
    id: ulid(birth + count++, systemChance),
    target: { platform: 'cf', instance: 'i-1' },
    action: { kind: 'provision' },
    tenant: 'cf/org/space',
    state: 'queued',
    reason: 'accepted',
    requestId: 'request-1',
    priority: 1,
    createdAt: birth,
    deadlineAt: birth + 3_600_000,
    runAfter: birth,
    fence: 0,
    strikes: 0,
    stage: 0,
    attempt: 1,
    ...given,
  }
}

export function anAuditRecord(given: Partial<NewAuditRecord> = {}): NewAuditRecord {
  return {
    actor: { kind: 'platform', id: 'cf' },
    action: 'instance.provision',
    object: { kind: 'instance', id: 'i-1' },
    decision: 'allowed',
    result: 'started',
    requestId: 'request-1',
    node: 'node-1',
    ...given,
  }
}
