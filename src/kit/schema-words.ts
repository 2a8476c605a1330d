/** The words of JSON Schema, for telling what an author of one has misspelt. */

/** Keywords of 2020-12 that draft 7 did not have, and the name of draft 4 for `$id`. */
export const newerKeywords: readonly string[] = [
  ...['$defs', '$anchor', '$dynamicRef', '$dynamicAnchor', '$vocabulary', 'prefixItems', 'minContains'],
  ...['maxContains', 'dependentRequired', 'dependentSchemas', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['contentSchema', 'deprecated', 'id', 'nullable'],
]

export const schemaTypes: readonly string[] = [
  ...['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'],
]

/** What other languages call these types. */
export const typeSynonyms: Readonly<Record<string, string>> = {
  ...{ int: 'integer', int32: 'integer', int64: 'integer', long: 'integer', float: 'number' },
  ...{ double: 'number', decimal: 'number', numeric: 'number', bool: 'boolean', text: 'string' },
  ...{ str: 'string', password: 'string', list: 'array', map: 'object', dict: 'object', hash: 'object' },
}

export const schemaFormats: readonly string[] = [
  ...['date', 'time', 'date-time', 'iso-time', 'iso-date-time', 'duration', 'uri', 'uri-reference'],
  ...['uri-template', 'url', 'email', 'hostname', 'ipv4', 'ipv6', 'regex', 'uuid', 'json-pointer'],
  ...['json-pointer-uri-fragment', 'relative-json-pointer', 'byte', 'int32', 'int64', 'float', 'double'],
  ...['password', 'binary', 'idn-email', 'idn-hostname', 'iri', 'iri-reference'],
]
