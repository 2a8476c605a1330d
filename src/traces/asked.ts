/** Whether traces are asked for at all: nothing else of this folder is loaded before. */

/** Whether an endpoint is named. */
export function areTracesAskedFor(environment: Readonly<Record<string, string | undefined>>): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = environment
  return Boolean(all?.trim() || own?.trim())
}
