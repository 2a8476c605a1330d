/** The rules that a broker is judged by: how binding each is, since which version, and where the specification says it. */

/** Minor versions of the Open Service Broker API 2 that a broker can be judged by. */
export const minors = [11, 12, 13, 14, 15, 16, 17] as const
export type Minor = (typeof minors)[number]

/** The word of the specification; INTEROP where it is silent and real platforms need it. */
export const levels = ['MUST', 'SHOULD', 'INTEROP'] as const
export type Level = (typeof levels)[number]

export interface Rule {
  readonly level: Level
  /** The first minor version that has it. */
  readonly since: Minor
  /** The last one, where a later version dropped it. */
  readonly until?: Minor
  /** The heading in the specification, or the client that needs it. */
  readonly section: string
  readonly says: string
}

const must = (since: Minor, section: string, says: string): Rule => ({ level: 'MUST', since, section, says })
const should = (since: Minor, section: string, says: string): Rule => ({
  ...must(since, section, says),
  level: 'SHOULD',
})
const interop = (since: Minor, section: string, says: string): Rule => ({
  ...must(since, section, says),
  level: 'INTEROP',
})

export type RuleId = keyof typeof rules

export const rules = {
  'answer.given': must(
    11,
    'API Overview',
    'Every request is answered, within the 60 seconds that platforms wait.',
  ),
  'answer.object': interop(11, 'Service Catalog, a client', 'The body of every answer is a JSON object.'),
  'answer.content-type': should(
    14,
    'Content Type',
    'Answers with a body say that they are application/json.',
  ),
  'answer.error': must(
    12,
    'Service Broker Errors',
    '`error` and `description` of an error are non-empty texts.',
  ),
  'answer.flags': must(
    16,
    'Service Broker Errors',
    '`instance_usable` and `update_repeatable` are booleans, on failed updates and deprovisions only.',
  ),

  'authentication.missing': must(
    11,
    'Platform to Service Broker Authentication',
    'A request without credentials is answered 401.',
  ),
  'authentication.wrong': must(
    11,
    'Platform to Service Broker Authentication',
    'A request with wrong credentials is answered 401.',
  ),
  'version.refused': must(
    11,
    'API Version Header',
    'A version is served, or refused with 412; a missing one also with 400.',
  ),
  'identity.origin': must(13, 'Originating Identity', 'A request may say who caused it.'),
  'identity.request': should(15, 'Request Identity', 'The identity of a request comes back with its answer.'),

  'catalog.answer': must(
    11,
    'Catalog Management',
    'The catalog is answered with 200 and a list of services.',
  ),
  'catalog.valid': must(
    11,
    'Catalog Management',
    'Services, plans and schemas have the fields that they need, of the right type, and unique ids and names.',
  ),
  'catalog.names': { ...should(11, 'Catalog Management', 'Names are CLI-friendly.'), until: 14 },
  'catalog.stable': must(11, 'Catalog Management', 'Ids are the same every time.'),
  'catalog.conditional': must(
    16,
    'Catalog Management',
    'A catalog with an ETag that has not changed is answered 304 or 200.',
  ),

  'provision.malformed': must(11, 'Provisioning', 'A body that is no JSON is answered 400.'),
  'provision.mandatory': must(11, 'Provisioning', 'Without service_id or plan_id: 400.'),
  'provision.owner': should(11, 'Provisioning', 'Without organization_guid or space_guid: 400.'),
  'provision.unknown': must(11, 'Provisioning', 'What the catalog does not offer is refused with a 4xx.'),
  'provision.parameters': should(
    13,
    'Schemas Object',
    'Parameters that break the schema are refused with a 4xx.',
  ),
  'provision.extensions': must(14, 'Vendor Extension Fields', 'Unknown fields of a request are ignored.'),
  'provision.maintenance': must(
    15,
    'Provisioning',
    'Another maintenance_info.version than the catalog has: 422 MaintenanceInfoConflict.',
  ),
  'provision.async-required': must(
    11,
    'Asynchronous Operations',
    'Without accepts_incomplete=true: done at once, or 422 AsyncRequired; never 202.',
  ),
  'provision.answer': must(11, 'Provisioning', 'What is new is answered 201 when done, 202 when begun.'),
  'provision.fields': must(
    11,
    'Provisioning',
    'dashboard_url and operation are texts, metadata is an object.',
  ),
  'provision.repeated': should(11, 'Provisioning', 'The same request again, when done: 200.'),
  'provision.repeated-running': must(
    15,
    'Provisioning',
    'The same request again, while it runs: 202 with the same operation.',
  ),
  'provision.conflict': must(11, 'Provisioning', 'The same id with other attributes: 409.'),
  'provision.conflict-running': must(
    11,
    'Provisioning',
    'The same id with other attributes, while the first is provisioned: 409.',
  ),
  'provision.race': must(
    14,
    'Blocking Operations',
    'The same request several times at once is one instance and one operation.',
  ),

  'poll.answer': must(11, 'Polling Last Operation', '200 with a state: in progress, succeeded or failed.'),
  'poll.description': must(11, 'Polling Last Operation', 'description, if present, is a text.'),
  'poll.retry-after': must(15, 'Polling Last Operation', 'Retry-After is a number of seconds or a date.'),
  'poll.flags': must(
    16,
    'Polling Last Operation',
    'instance_usable and update_repeatable are booleans, for failed updates and deprovisions only.',
  ),
  'poll.ends': must(11, 'Polling Interval and Duration', 'An operation comes to its end within its time.'),
  'poll.succeeds': interop(
    11,
    'Polling Last Operation',
    'What was ordered with parameters that the schema allows succeeds.',
  ),
  'poll.remembered': should(
    16,
    'Polling Last Operation',
    'The end of an operation is not forgotten once it was told.',
  ),
  'poll.unknown': interop(11, 'Polling Last Operation', 'An unknown instance or binding: 404 or 410.'),

  'fetch.unknown': must(14, 'Fetching a Service Instance', 'An unknown instance or binding: 404.'),
  'fetch.instance': must(
    14,
    'Fetching a Service Instance',
    'What stands is answered 200, with the service and plan that it has.',
  ),
  'fetch.parameters': must(
    14,
    'Fetching a Service Instance',
    'parameters is an object with the values in use.',
  ),
  'fetch.running': must(14, 'Fetching a Service Instance', 'While it is provisioned: 404.'),
  'fetch.updating': must(14, 'Fetching a Service Instance', 'While it is updated: 422 ConcurrencyError.'),
  'fetch.deleted': must(14, 'Fetching a Service Instance', 'What was deleted: 404.'),

  'update.mandatory': must(11, 'Updating a Service Instance', 'Without service_id: 400.'),
  'update.unknown-plan': must(
    11,
    'Updating a Service Instance',
    'An unknown plan is refused with a 4xx, and nothing changes.',
  ),
  'update.unknown-instance': interop(
    11,
    'Updating a Service Instance',
    'An unknown instance is refused with a 4xx.',
  ),
  'update.maintenance': must(
    15,
    'Updating a Service Instance',
    'Another maintenance_info.version than the catalog has: 422 MaintenanceInfoConflict.',
  ),
  'update.async-required': must(
    11,
    'Asynchronous Operations',
    'Without accepts_incomplete=true: done at once, or 422 AsyncRequired; never 202.',
  ),
  'update.answer': must(
    11,
    'Updating a Service Instance',
    'Answered 200 when done, 202 when begun, or refused with a 4xx.',
  ),
  'update.accepted': interop(
    13,
    'Schemas Object',
    'An update with parameters that the schema allows is accepted.',
  ),
  'update.parameters': must(
    14,
    'Updating a Service Instance',
    'Parameters that were changed are the ones in use.',
  ),
  'update.plan': must(14, 'Updating a Service Instance', 'A plan that was changed is the plan in use.'),
  'update.plan-kept': must(
    14,
    'Updating a Service Instance',
    'Without plan_id the plan stays; a refused update changes nothing.',
  ),
  'update.plan-refused': should(11, 'Catalog Management', 'A plan that is not updateable is not changed.'),
  'update.context': must(
    15,
    'Updating a Service Instance',
    'An update of the context alone is accepted where allow_context_updates says so.',
  ),
  'update.repeated-running': must(
    15,
    'Updating a Service Instance',
    'The same update again, while it runs: 202 with the same operation, or 422 ConcurrencyError.',
  ),
  'update.conflict-running': must(
    14,
    'Blocking Operations',
    'Another update while one runs: 422 ConcurrencyError.',
  ),

  'bind.not-bindable': should(11, 'Binding', 'A plan that is not bindable refuses with a 4xx.'),
  'bind.malformed': must(11, 'Binding', 'A body that is no JSON is answered 400.'),
  'bind.mandatory': must(11, 'Binding', 'Without service_id or plan_id: 400.'),
  'bind.unknown-instance': interop(11, 'Binding', 'An unknown instance is refused with a 4xx.'),
  'bind.async-required': must(
    11,
    'Asynchronous Operations',
    'Without accepts_incomplete=true: done at once, or 422 AsyncRequired; never 202.',
  ),
  'bind.answer': must(11, 'Binding', 'What is new is answered 201 when done, 202 when begun.'),
  'bind.retrievable': must(
    14,
    'Asynchronous Operations',
    'Who binds in the background has bindings_retrievable.',
  ),
  'bind.credentials': must(
    11,
    'Binding',
    'credentials is an object; a service that requires nothing hands them out.',
  ),
  'bind.permissions': must(
    11,
    'Binding',
    'Log drain, route service and volume mounts only with the permission in requires, and well-formed.',
  ),
  'bind.endpoints': must(15, 'Binding', 'endpoints have a host and a list of ports as texts.'),
  'bind.metadata': must(
    16,
    'Binding Metadata Object',
    'expires_at and renew_before are moments, in that order at the latest.',
  ),
  'bind.repeated': should(11, 'Binding', 'The same request again, when done: 200 with the same credentials.'),
  'bind.repeated-running': must(
    15,
    'Binding',
    'The same request again, while it runs: 202 with the same operation.',
  ),
  'bind.conflict': must(11, 'Binding', 'The same id with other attributes: 409.'),
  'bind.unique': should(11, 'Binding', 'Two bindings have credentials of their own.'),
  'bind.fetch': must(
    14,
    'Fetching a Service Binding',
    'What stands is answered 200, with the credentials that were handed out.',
  ),
  'bind.fetch-running': must(14, 'Fetching a Service Binding', 'While it is made: 404.'),
  'rotate.answer': must(17, 'Binding Rotation', 'A binding of a rotatable plan has a successor.'),
  'rotate.predecessor': must(17, 'Binding Rotation', 'The predecessor stays valid.'),
  'rotate.unknown': must(17, 'Binding Rotation', 'An unknown predecessor is refused with a 4xx.'),

  'unbind.mandatory': must(11, 'Unbinding', 'Without service_id or plan_id: 400.'),
  'unbind.async-required': must(
    14,
    'Asynchronous Operations',
    'Without accepts_incomplete=true: done at once, or 422 AsyncRequired; never 202.',
  ),
  'unbind.answer': must(11, 'Unbinding', 'Answered 200 when done, 202 when begun.'),
  'unbind.repeated-running': must(
    15,
    'Unbinding',
    'The same request again, while it runs: 202 with the same operation.',
  ),
  'unbind.gone': must(11, 'Unbinding', 'What does not exist: 410.'),

  'deprovision.mandatory': must(11, 'Deprovisioning', 'Without service_id or plan_id: 400.'),
  'deprovision.async-required': must(
    11,
    'Asynchronous Operations',
    'Without accepts_incomplete=true: done at once, or 422 AsyncRequired; never 202.',
  ),
  'deprovision.answer': must(11, 'Deprovisioning', 'Answered 200 when done, 202 when begun.'),
  'deprovision.repeated-running': must(
    15,
    'Deprovisioning',
    'The same request again, while it runs: 202 with the same operation.',
  ),
  'deprovision.gone': must(11, 'Deprovisioning', 'What does not exist: 410.'),
  'deprovision.running': must(
    15,
    'Deprovisioning',
    'While it is provisioned: accepted, or 422 ConcurrencyError.',
  ),

  'clean-up.done': must(11, 'Orphan Mitigation', 'Everything that was made can be deleted.'),
} as const satisfies Readonly<Record<string, Rule>>
