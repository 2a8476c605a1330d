/** Variables of traces: what they mean, and what is said of those that cannot be read. */
import { describe, expect, test } from 'vitest'
import { readConfiguration } from './configuration.ts'

const base = 'OTEL_EXPORTER_OTLP_ENDPOINT'

test.each([
  [{ [base]: 'http://collector:4318' }, 'http://collector:4318/v1/traces'],
  [{ [base]: 'https://collector/otlp/' }, 'https://collector/otlp/v1/traces'],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector/take' }, 'http://collector/take'],
  [{ [base]: 'http://other', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://own/take' }, 'http://own/take'],
])('%o leads to %s', (environment: Readonly<Record<string, string>>, url) => {
  expect(readConfiguration(environment).configuration?.url.href).toBe(url)
})

test.each([
  [{ OTEL_SDK_DISABLED: 'true' }],
  [{ OTEL_SDK_DISABLED: 'TRUE' }],
  [{ OTEL_TRACES_EXPORTER: 'none' }],
])('%o turns traces off without a word', (more) => {
  expect(readConfiguration({ [base]: 'http://collector', ...more })).toEqual({ problems: [] })
})

test.each([
  [{}, { name: 'parentbased_traceidratio', share: 0.05 }],
  [{ OTEL_TRACES_SAMPLER: 'always_on' }, { name: 'always_on', share: 1 }],
  [
    { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' },
    { name: 'traceidratio', share: 0.5 },
  ],
  [{ OTEL_TRACES_SAMPLER_ARG: '0.25' }, { name: 'parentbased_traceidratio', share: 0.25 }],
])('%o samples by %o', (more, sampler) => {
  expect(readConfiguration({ [base]: 'http://collector', ...more }).configuration?.sampler).toEqual(sampler)
})

test('headers, resource and limits are read, those of traces before those of all signals', () => {
  const { configuration, problems } = readConfiguration({
    [base]: 'http://collector',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20all',
    OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'authorization=Bearer%20own , x-tenant = a%2Cb',
    OTEL_EXPORTER_OTLP_TIMEOUT: '2500',
    OTEL_SERVICE_NAME: 'broker-eu',
    OTEL_RESOURCE_ATTRIBUTES: 'service.name=lost,deployment.environment.name=prod',
    OTEL_PROPAGATORS: 'b3,baggage',
    OTEL_BSP_MAX_QUEUE_SIZE: '10',
  })

  expect(problems).toEqual([])
  expect(configuration).toMatchObject({
    headers: { authorization: 'Bearer own', 'x-tenant': 'a,b' },
    timeoutMs: 2500,
    resource: { 'service.name': 'broker-eu', 'deployment.environment.name': 'prod' },
    propagators: ['b3'],
    batch: { delayMs: 5000, queueMax: 10, sizeMax: 512 },
  })
})

describe('what cannot be read is told without its value', () => {
  test.each([
    [base, 'collector:4318', 'must be a URL with http:// or https://'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'grpc is not spoken'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'smoke', 'must be one of'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'hunter2', 'must be like name=value'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=%E0hunter2', 'must be like name=value'],
    ['OTEL_EXPORTER_OTLP_TIMEOUT', '10s', 'must be a number'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'must be one of always_on'],
    ['OTEL_TRACES_SAMPLER_ARG', '5', 'from 0 to 1'],
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'must be one of otlp, none'],
    ['OTEL_EXPORTER_OTLP_CERTIFICATE', '/nowhere/ca.pem', '/nowhere/ca.pem: there is no such file'],
  ])('%s=%s', (name, value, detail) => {
    const { problems } = readConfiguration({ [base]: 'http://collector', [name]: value })

    expect(problems).toHaveLength(1)
    expect(problems[0]?.where).toEqual({ source: name })
    expect(problems[0]?.detail).toContain(detail)
    expect(problems[0]?.detail).not.toContain('hunter2')
  })
})
