/** The options an operator may give to a bundle: names, time, and what the contract leaves open. */
import { isObject, type JsonObject } from '../../kit/json.ts'
import { checkerOf } from '../../kit/schema.ts'
import { type Limits, limitsFor } from '../../model/job.ts'
import type { Problem } from '../../model/problem.ts'
import type { ApbAction } from './actions.ts'
import { namespacePattern } from './names.ts'

export interface Options {
  /** The name of the registry in the original's configuration: part of every name and id. */
  readonly registry: string
  /** The plan of the spec that a plan of the catalog is made from; the package says it. */
  readonly plan: string | undefined
  /** Whether a bind runs the bundle. auto: where it makes no credentials, those of provision are handed out; always: never those. */
  readonly launchOnBind: 'auto' | 'always' | 'never'
  /** original: as the original broker publishes them, even where no value satisfies them. */
  readonly schemas: 'satisfiable' | 'original'
  /** Whether users may send texts with `{{` or `{%`, which Ansible evaluates with the bundle's rights. */
  readonly userTemplates: 'reject' | 'allow'
  /** What bundles are told of their cluster; they choose their objects by it. */
  readonly cluster: 'kubernetes' | 'openshift'
  /** The target namespace by the id of a space or organisation, for platforms that name none. */
  readonly namespaces: Readonly<Record<string, string>>
  /** The target namespace of everybody else. */
  readonly namespace: string | undefined
  /** Names of parameters that come from lent secrets (`SECRET/KEY`) and that users neither see nor send. */
  readonly secrets: readonly string[]
  /** Whether lent secrets are handed over as parameters, too: newer base images do not read their files. */
  readonly secretsAsParameters: boolean
  readonly proxy: { readonly http: string; readonly https: string; readonly no: string } | undefined
  /** An address that forwards to the dashboard of an instance, for bundles that ask for it. */
  readonly dashboardRedirector: string
  /** A real cluster with the target namespaces: where it is, and which kinds bundles may use there. */
  readonly targetCluster: { readonly server: string; readonly allow: readonly string[] } | undefined
  /** Kinds of a cluster that the bundle cannot do without. */
  readonly needs: readonly string[]
  /** Bindings of one instance are made and removed at the same time. */
  readonly bindsInParallel: boolean
  readonly timeoutSeconds: Readonly<Record<ApbAction, number>>
  readonly memoryBytes: number
  readonly processes: number
  readonly cpus: number
  readonly logBytes: number
  /** What a run may write, all files together. */
  readonly diskBytes: number
  readonly killGraceSeconds: number
}

const hour = 3600

const usualOptions: Options = {
  registry: 'local',
  plan: undefined,
  launchOnBind: 'auto',
  schemas: 'satisfiable',
  userTemplates: 'reject',
  cluster: 'kubernetes',
  namespaces: {},
  namespace: undefined,
  secrets: [],
  secretsAsParameters: true,
  proxy: undefined,
  dashboardRedirector: '',
  targetCluster: undefined,
  needs: [],
  bindsInParallel: true,
  timeoutSeconds: {
    provision: hour,
    deprovision: hour,
    bind: hour,
    unbind: hour,
    update: hour,
    test: hour,
  },
  memoryBytes: 512 * 1024 * 1024,
  processes: 512,
  cpus: 1,
  logBytes: 16 * 1024 * 1024,
  diskBytes: 8 * 1024 ** 3,
  killGraceSeconds: 30,
}

const count = { type: 'integer', minimum: 1 }
const seconds = { type: 'integer', minimum: 1, maximum: 604_800 }
const flag = { type: 'boolean' }
const text = { type: 'string' }
const namespace = { type: 'string', pattern: namespacePattern }

/** How the names of kinds begin: group and version. */
const kindsOf = '([a-z0-9.-]+/)?v[0-9][a-z0-9]*/'

const check = checkerOf({
  type: 'object',
  additionalProperties: false,
  properties: {
    registry: {
      type: 'string',
      pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*$',
    },
    plan: text,
    launchOnBind: { enum: ['auto', 'always', 'never'] },
    schemas: { enum: ['satisfiable', 'original'] },
    userTemplates: { enum: ['reject', 'allow'] },
    cluster: { enum: ['kubernetes', 'openshift'] },
    namespaces: { type: 'object', additionalProperties: namespace },
    namespace,
    secrets: { type: 'array', items: text },
    secretsAsParameters: flag,
    proxy: {
      type: 'object',
      additionalProperties: false,
      properties: { http: text, https: text, no: text },
    },
    dashboardRedirector: text,
    targetCluster: {
      type: 'object',
      additionalProperties: false,
      required: ['server', 'allow'],
      properties: {
        server: { type: 'string', pattern: '^https://[^/?#@]+(/[^?#]*)?$' },
        allow: {
          type: 'array',
          items: { type: 'string', pattern: `^${kindsOf}([a-z]+(/[a-z]+)?|[*])$` },
        },
      },
    },
    needs: { type: 'array', items: { type: 'string', pattern: `^${kindsOf}[a-z]+(/[a-z]+)?$` } },
    bindsInParallel: flag,
    timeoutSeconds: {
      type: 'object',
      additionalProperties: false,
      properties: Object.fromEntries(Object.keys(usualOptions.timeoutSeconds).map((name) => [name, seconds])),
    },
    memoryBytes: { type: 'integer', minimum: 4 * 1024 * 1024 },
    processes: count,
    cpus: { type: 'number', exclusiveMinimum: 0 },
    logBytes: count,
    diskBytes: { type: 'integer', minimum: 1024 * 1024 },
    killGraceSeconds: { type: 'integer', minimum: 0, maximum: 600 },
  },
})

/** What is wrong with given options. */
export function faultsOfOptions(given: JsonObject): readonly Problem[] {
  return check(given).map((fault) => ({
    code: 'apb.options-invalid',
    detail: fault.message,
    where: { source: 'options', pointer: fault.pointer },
  }))
}

/** The given options over the usual ones; they were checked when the catalog was read. */
export function optionsOf(given: JsonObject): Options {
  const { timeoutSeconds, proxy } = given
  return {
    ...usualOptions,
    ...(given as Partial<Options>),
    timeoutSeconds: { ...usualOptions.timeoutSeconds, ...(isObject(timeoutSeconds) ? timeoutSeconds : {}) },
    proxy: proxyOf(isObject(proxy) ? proxy : {}),
  }
}

/** Both absent or empty means none, whatever is exempt from it. */
function proxyOf(given: { readonly [key: string]: unknown }): Options['proxy'] {
  const word = (key: string) => (typeof given[key] === 'string' ? given[key] : '')
  const proxy = { http: word('http'), https: word('https'), no: word('no') }
  return proxy.http === '' && proxy.https === '' ? undefined : proxy
}

/** The limits of one action. */
export function limitsOf(options: Options, action: ApbAction): Limits {
  return limitsFor(options, options.timeoutSeconds[action])
}
