/** The three labels that definitions put on what they make. */
import { isObject, type Json, type JsonObject } from '../../kit/json.ts'

/** Labels of an instance from the context of its order; the operator's own stand below them. */
export function defaultLabels(
  instance: string,
  context: JsonObject,
  more: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  return {
    // The operator's own stay as they are: to change them would change the tags of everything that was made.
    ...more,
    'pcf-organization-guid': plain(textOf(context['organization_guid'])),
    'pcf-space-guid': plain(textOf(context['space_guid'])),
    'pcf-instance-id': plain(instance),
  }
}

/** The operator's labels as the originals configure them: a list of key and value. */
export function globalLabels(value: Json | undefined): Readonly<Record<string, string>> {
  const list = Array.isArray(value) ? value : []
  return Object.fromEntries(
    list.flatMap((item) =>
      isObject(item) ? [[textOf(item['key'] as Json), textOf(item['value'] as Json)]] : [],
    ),
  )
}

function plain(text: string): string {
  return text.replace(/[^a-zA-Z0-9_-]+/g, '_')
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' ? value : ''
}
