/** A hundred mistakes that authors of service bundles make, each planted in an apb.yml that has none. */
import { type Planted, plantedIn } from '../support/planted.ts'

/** The bundle without a mistake: nothing is said of it. */
export const wellMade = {
  'apb.yml': `version: 1.0
name: queue-apb
description: A queue for applications.
bindable: true
async: optional
tags: [queue, messages]
metadata:
  displayName: Queue
  documentationUrl: https://example.com
alpha:
  dashboard_redirect: true
plans:
  - name: small
    description: One node.
    free: true
    metadata:
      displayName: Small
    updates_to: [large]
    parameters:
      - name: label
        title: Label
        type: string
        description: What to call it.
        default: orders
        max_length: 20
        min_length: 3
        pattern: ^[a-z]+$
        updatable: true
        display_group: Basics
      - name: count
        title: Count
        type: int
        default: 3
        minimum: 1
        maximum: 9
      - name: share
        type: number
        default: 0.5
        multiple_of: 0.25
        exclusive_minimum: 0
        exclusive_maximum: 1
      - name: kept
        type: enum
        enum: [memory, disk]
        default: disk
        required: true
      - name: size
        type: int
        enum: [1, 2, 4]
        default: 2
        dependencies:
          - key: kept
            value: disk
      - name: mirrored
        type: boolean
        default: false
      - name: password
        type: string
        display_type: password
      - name: extra
        type: object
        default: {}
    bind_parameters:
      - name: role
        type: enum
        enum: [reader, writer]
        default: reader
  - name: large
    description: Three nodes.
    free: false
    bindable: true
    metadata: {}
    parameters:
      - name: label
        type: string
        default: orders
        updatable: true
`,
} as const

const here = plantedIn<string>('apb.yml')

/** A key that is written otherwise: the line is that of the key. */
const misspelt = (right: string, wrong: string, more?: Partial<Planted>): Planted =>
  here(`${right}:`, `${wrong}:`, new RegExp(`${wrong} is no key`), new RegExp(`Write ${right} instead`), more)

const missing = (line: string, key: string, fix: string): Planted =>
  here(line, '', new RegExp(`\`${key}\` field not found`), new RegExp(fix), { at: 'version: 1.0' })

/** What a top-level key must not be. */
const top: readonly Planted[] = [
  here('version: 1.0', 'version: 2.0', /failed version validation/, /version: 1\.0/),
  here('version: 1.0', 'version: one', /failed version validation/, /version: 1\.0/),
  here('version: 1.0\n', '', /failed version validation/, /Begin apb.yml with/),
  here('version:', 'Version:', /failed version validation/, /version: 1\.0/),
  here('name: queue-apb', 'name: Queue_apb', /signs that platforms refuse/, /small letters/),
  here('name: queue-apb', 'name: "queue apb"', /signs that platforms refuse/, /small letters/),
  here('name: queue-apb', `name: ${'queue-'.repeat(12)}apb`, /name is too long/, /shorter/),
  here('name: queue-apb', 'name: [queue-apb]', /name is no text/, /Write a text: name/),
  here('description: A queue for applications.', 'description: ""', /description is empty/, /in a sentence/),
  here('description: A queue for applications.', 'description: {}', /description is no text/, /Write a text/),
  here('bindable: true', 'bindable: "true"', /quoted text/, /without quotation marks/),
  here('bindable: true', 'bindable: "Yes"', /quoted text/, /without quotation marks/),
  here('bindable: true', 'bindable: 1', /bindable is not true or false/, /bindable: true/),
  here('bindable: true', 'bindable: sure', /bindable is not true or false/, /bindable: true/),
  here('async: optional', 'async: optionl', /not a valid `async`/, /Write async: optional/),
  here('async: optional', 'async: unsuported', /not a valid `async`/, /Write async: unsupported/),
  here('async: optional', 'async: sometimes', /not a valid `async`/, /optional, required or unsupported/),
  here('async: optional', 'async: [optional]', /async is no text/, /Write a text/),
  here('tags: [queue, messages]', 'tags: queue', /tags is not a list/, /Write a list: tags/),
  here('tags: [queue, messages]', 'tags: {queue: messages}', /tags is not a list/, /Write a list: tags/),
  here(
    'metadata:\n  displayName: Queue\n  documentationUrl: https://example.com',
    'metadata: Queue',
    /metadata is not a map/,
    /Write a map: metadata/,
  ),
  here(
    'metadata:\n  displayName: Queue\n  documentationUrl: https://example.com',
    'metadata: [Queue]',
    /metadata is not a map/,
    /Write a map: metadata/,
  ),
  here(
    'alpha:\n  dashboard_redirect: true',
    'alpha: dashboard_redirect',
    /alpha is not a map/,
    /Write a map: alpha/,
  ),
  misspelt('description', 'descripton'),
  misspelt('bindable', 'bindabel'),
  misspelt('async', 'asynch'),
  misspelt('tags', 'tag'),
  misspelt('metadata', 'Metadata'),
  misspelt('plans', 'plan'),
  misspelt('alpha', 'alfa'),
  missing('bindable: true\n', 'bindable', 'bindable: true'),
  missing('async: optional\n', 'async', 'async: optional'),
]

const unreadable: readonly Planted[] = [
  here('tags: [queue, messages]', 'tags: [queue, messages', /./, /Close the bracket/, { at: 'metadata:' }),
  here(
    'description: A queue for applications.',
    'description: A queue: for applications.',
    /./,
    /Quote a value that has a colon/,
  ),
  here('description: A queue for applications.', '\tdescription: A queue.', /./, /Indent with blanks/),
  here('async: optional', 'async: &a optional\nasync: *b', /./, /Mend|apb\.yml/, { at: '*b' }),
]

const plans: readonly Planted[] = [
  here(
    '  - name: small\n    description: One node.',
    '  - description: One node.',
    /Plan name not found/,
    /Add name/,
  ),
  here('    description: One node.\n', '', /Plan small is missing a `description`/, /Add description/, {
    at: 'name: small',
  }),
  here('    free: true\n', '', /Plan small is missing a `free`/, /free: true/, { at: 'name: small' }),
  here(
    '    metadata:\n      displayName: Small\n',
    '',
    /Plan small is missing a `metadata`/,
    /metadata: \{\}/,
    { at: 'name: small' },
  ),
  here('    metadata: {}\n', '', /Plan large is missing a `metadata`/, /metadata: \{\}/, {
    at: 'name: large',
  }),
  here('free: true', 'free: "true"', /free is a quoted text/, /without quotation marks/),
  here('free: true', 'free: gratis', /free is not true or false/, /free: true/),
  here('free: false', 'free: 0', /free is not true or false/, /free: true/),
  here(
    '    bindable: true\n    metadata: {}',
    '    bindable: "yes"\n    metadata: {}',
    /bindable is a quoted text/,
    /without quotation/,
  ),
  here('updates_to: [large]', 'updates_to: [lage]', /updates to lage, which is no plan/, /may mean large/),
  here(
    'updates_to: [large]',
    'updates_to: [huge]',
    /updates to huge, which is no plan/,
    /Name one of small, large/,
  ),
  here('updates_to: [large]', 'updates_to: large', /updates_to is not a list/, /Write a list/),
  here('- name: large', '- name: small', /duplicate value: small/, /name of its own/, { at: 'plans:' }),
  here('    metadata: {}', '    metadata: large', /metadata is not a map/, /Write a map/),
  misspelt('updates_to', 'update_to'),
  misspelt('free', 'fre'),
  misspelt('bind_parameters', 'bindParameters'),
  misspelt('parameters', 'parametres'),
]

/** A parameter's key that is written otherwise. */
const parameterKeys: readonly Planted[] = [
  misspelt('title', 'titel'),
  misspelt('default', 'defualt'),
  misspelt('max_length', 'max_lenght'),
  misspelt('max_length', 'maxLength'),
  misspelt('min_length', 'minLength'),
  misspelt('min_length', 'minlength'),
  misspelt('pattern', 'patern'),
  misspelt('updatable', 'updateable'),
  misspelt('display_group', 'displayGroup'),
  misspelt('display_group', 'display_grp'),
  misspelt('display_type', 'displayType'),
  misspelt('minimum', 'minimun'),
  misspelt('maximum', 'maximun'),
  misspelt('multiple_of', 'multipleof'),
  misspelt('exclusive_minimum', 'exclusive_minimun'),
  misspelt('exclusive_maximum', 'exclusive_max'),
  misspelt('required', 'requird'),
  misspelt('dependencies', 'dependecies'),
]

const unknownType = (wrong: string, fix: RegExp): Planted =>
  here('type: boolean', `type: ${wrong}`, /Could not find the parameter type/, fix)

const parameters: readonly Planted[] = [
  unknownType('boolen', /Write type: boolean/),
  unknownType('Boolaen', /Write type: boolean/),
  unknownType('boole', /Write type: bool/),
  unknownType('flag', /string, enum, int/),
  unknownType('password', /string, enum, int/),
  here('type: object', 'type: objct', /Could not find the parameter type/, /Write type: object/),
  here('type: number', 'type: numbr', /Could not find the parameter type/, /Write type: number/),
  here('type: number', 'type: decimal', /Could not find the parameter type/, /string, enum, int/),
  here('        type: boolean\n', '', /Could not find the parameter type/, /string, enum, int/, {
    at: 'name: mirrored',
  }),
  here(
    '      - name: mirrored\n        type: boolean',
    '      - type: boolean',
    /a parameter has no name/,
    /Add name/,
  ),
  here(
    '      - name: mirrored\n        type: boolean\n        default: false',
    '      - mirrored',
    /must be a map/,
    /name: …, type/,
  ),
  here('- name: mirrored', '- name: count', /count is declared twice/, /Remove one/),
  here('default: orders', 'default: Orders', /label/, /type of the parameter/),
  here('default: orders', 'default: or', /label/, /type of the parameter/),
  here('default: orders', `default: ${'o'.repeat(21)}`, /label/, /type of the parameter/),
  here('default: 3', 'default: three', /count: not of its type/, /type of the parameter/),
  here('default: 3', 'default: 10', /count/, /type of the parameter/),
  here('default: 3', 'default: 0', /count/, /type of the parameter/),
  here('default: 3', 'default: .inf', /no number|not of its type/, /JSON can hold/),
  here('default: 0.5', 'default: 0.3', /share/, /type of the parameter/),
  here('default: 0.5', 'default: 1', /share/, /type of the parameter/),
  here('default: disk', 'default: tape', /kept: must be one of/, /type of the parameter/),
  here('default: 2', 'default: 3', /size: must be one of/, /type of the parameter/),
  here('default: false', 'default: never', /mirrored: not of its type/, /type of the parameter/),
  here('default: {}', 'default: [1]', /extra: not of its type/, /type of the parameter/),
  here('default: reader', 'default: owner', /role: must be one of/, /type of the parameter/),
  here('pattern: ^[a-z]+$', 'pattern: ^[a-z+$', /Invalid pattern/, /lookaround/),
  here('pattern: ^[a-z]+$', 'pattern: ^(?!x)[a-z]+$', /Invalid pattern/, /lookaround/),
  here('pattern: ^[a-z]+$', 'pattern: (a', /Invalid pattern/, /lookaround/),
  here('max_length: 20', 'max_length: "20"', /max_length is not a number/, /without quotation marks/),
  here('max_length: 20', 'max_length: long', /max_length is not a number/, /Write a number/),
  here('minimum: 1', 'minimum: one', /minimum is not a number/, /Write a number/),
  here('maximum: 9', 'maximum: [9]', /maximum is not a number/, /Write a number/),
  here('multiple_of: 0.25', 'multiple_of: "0.25"', /multiple_of is not a number/, /without quotation marks/),
  here('required: true', 'required: "true"', /required is a quoted text/, /without quotation marks/),
  here('required: true', 'required: always', /required is not true or false/, /required: true/),
  here('updatable: true', 'updatable: "on"', /updatable is a quoted text/, /without quotation marks/),
  here('enum: [memory, disk]', 'enum: memory', /enum is not a list/, /Write a list/),
  here(
    '        enum: [memory, disk]\n        default: disk\n',
    '',
    /kept is an enum without values/,
    /Add enum/,
    { at: 'type: enum' },
  ),
  here(
    'enum: [1, 2, 4]',
    'enum: [1, 2, four]',
    /some values of the enum are not of its type/,
    /values of the type integer/,
  ),
  here('        display_type: password\n', '', /password is not hidden/, /display_type: password/, {
    at: 'name: password',
  }),
  here(
    '- name: extra\n        type: object\n        default: {}',
    '- name: api_token\n        type: string',
    /api_token is not hidden/,
    /display_type: password/,
  ),
  here('key: kept', 'key: kpet', /depends on kpet, which is no parameter/, /Name kept/, {
    at: 'dependencies:',
  }),
  here('value: disk', 'value: disc', /value that kept cannot have: disc/, /memory, disk/, {
    at: 'dependencies:',
  }),
  here(
    '        dependencies:\n',
    '        required: true\n        dependencies:\n',
    /is required only where/,
    /Remove required/,
  ),
  here(
    '      - name: label\n        type: string\n        default: orders\n        updatable: true\n',
    '      - name: other\n        type: string\n',
    /label is updatable, and plan large has no such/,
    /Declare label in plan large/,
    { at: 'updates_to' },
  ),
]

export const mistakes: readonly Planted[] = [...top, ...unreadable, ...plans, ...parameterKeys, ...parameters]
