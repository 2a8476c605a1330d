/** A hundred mistakes that authors of paks make, each planted in a pak that has none. */
import { type Planted, plantedIn } from '../support/planted.ts'

/** The pak without a mistake: nothing is said of it. */
export const wellMade: Readonly<Record<string, string>> = {
  'manifest.yml': `packversion: 1
name: things
version: 1.0.0
metadata:
  author: Somebody
platforms:
- os: linux
  arch: amd64
terraform_binaries:
- name: tofu
  version: 1.6.0
  source: https://example.com/tofu-1.6.0.zip
- name: tofu
  version: 1.7.0
  source: https://example.com/tofu-1.7.0.zip
  default: true
- name: terraform-provider-random
  version: 3.5.1
  provider: hashicorp/random
  source: https://example.com/random.zip
terraform_upgrade_path:
- version: 1.6.0
- version: 1.7.0
service_definitions:
- thing.yml
parameters:
- name: ACCOUNT
  description: The account.
required_env_variables:
- API_KEY
env_config_mapping:
  API_KEY: api.key
`,
  'thing.yml': `version: 1
name: thing
id: 00000000-0000-4000-8000-000000000000
description: A thing.
display_name: Thing
image_url: https://example.com/i.png
documentation_url: https://example.com
support_url: https://example.com/help
tags: [thing]
plan_updateable: true
plans:
- name: small
  id: 00000000-0000-4000-8000-000000000001
  description: Small.
  display_name: Small
  properties:
    size: 1
- name: large
  id: 00000000-0000-4000-8000-000000000002
  description: Large.
  display_name: Large
  properties:
    size: 9
provision:
  plan_inputs:
  - field_name: size
    type: integer
    required: true
    details: Size
    constraints:
      maximum: 10
  user_inputs:
  - field_name: label
    type: string
    details: Label
    default: n-\${request.instance_id}
    constraints:
      maxLength: 60
      pattern: ^[a-z0-9-]*$
  - field_name: colour
    type: string
    details: Colour
    default: red
    enum:
      red: Red
      blue: Blue
  - field_name: count
    type: integer
    details: Count
    default: 3
    tf_attribute: random_string.word.length
  computed_inputs:
  - name: key
    default: \${env("API_KEY")}
    overwrite: true
    type: string
  template_ref: thing.tf
  outputs:
  - field_name: name
    type: string
    details: Name
  - field_name: address
    type: string
    details: Address
bind:
  user_inputs:
  - field_name: role
    type: string
    details: Role
    default: reader
  computed_inputs:
  - name: address
    default: \${instance.details["address"]}
    overwrite: true
    type: string
  template: |
    variable "role" {
      type = string
    }
    variable "address" {
      type = string
    }
    output "uri" {
      value = "thing://\${var.role}@\${var.address}"
    }
  outputs:
  - field_name: uri
    type: string
    details: Uri
examples:
- name: first
  description: The first.
  plan_id: 00000000-0000-4000-8000-000000000001
  provision_params:
    colour: blue
  bind_params:
    role: writer
`,
  'thing.tf': `terraform {
  required_version = ">= 1.6"
  required_providers {
    random = {
      source  = "hashicorp/random"
      version = "~> 3.5"
    }
  }
}
variable "size" { type = number }
variable "label" { type = string }
variable "colour" { type = string }
variable "count" { type = number }
variable "key" { type = string }
resource "random_string" "word" {
  length = var.count
}
# var.nothing is only spoken of here
output "name" { value = "\${var.label}-\${random_string.word.id}" }
output "address" {
  value = "\${var.colour}:\${var.size}:\${var.key}"
}
`,
}

export interface Mistake extends Planted {
  readonly file: 'manifest.yml' | 'thing.yml' | 'thing.tf'
}

const m = plantedIn<Mistake['file']>('manifest.yml')
const d = plantedIn<Mistake['file']>('thing.yml')
const t = plantedIn<Mistake['file']>('thing.tf')

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/

export const mistakes: readonly Mistake[] = [
  // The manifest.
  m('packversion: 1', 'packversion: 2', /2 is not known/, /Write 1/),
  m('packversion: 1\n', '', /packversion is missing/, /"packversion": 1/, { at: 'name: things' }),
  m('name: things', 'name: ""', /name is missing/, /name that is ordered/),
  m('version: 1.0.0', 'version:', /version is missing/, /Add "version"/),
  m('name: things', 'nmae: things', /the field nmae is not known/, /Write "name"/),
  m('- os: linux\n', '-\n', /os is missing/, /linux/, { at: '  arch: amd64' }),
  m('  arch: amd64\n', '', /arch is missing/, /amd64/, { at: '- os: linux' }),
  m('  arch: amd64', '  arch: amd46', /platform linux\/amd46 is not known|compatible/, /./, {
    at: 'platforms:',
  }),
  m('  arch: amd64', '  archh: amd64', /arch is missing/, /amd64/, { at: '- os: linux' }),
  m(
    /platforms:\n- os: linux\n {2}arch: amd64\n/,
    'platforms: []\n',
    /platforms is missing/,
    /platforms it is built for/,
  ),
  m(
    '  version: 1.6.0\n  source: https://example.com/tofu-1.6.0.zip',
    '  source: x',
    /version is missing/,
    /version/,
    {
      at: '- name: tofu',
    },
  ),
  m(
    '- name: tofu\n  version: 1.6.0',
    '- name: tofu\n  version: latest',
    /latest is no version/,
    /three numbers/,
    {
      at: '  version: latest',
    },
  ),
  m(
    '- name: terraform-provider-random\n  version: 3.5.1',
    '- name: terraform-provider-random\n  version: newest',
    /newest is no version/,
    /three numbers/,
    { at: '  version: newest' },
  ),
  m('  default: true\n', '', /none is the default/, /highest version/, { at: 'terraform_binaries:' }),
  m(
    'tofu-1.6.0.zip\n',
    'tofu-1.6.0.zip\n  default: true\n',
    /several engines are the default/,
    /highest version only/,
    {
      at: 'terraform_binaries:',
    },
  ),
  m(
    /(tofu-1.6.0.zip\n)([\s\S]*?) {2}default: true\n/,
    '$1  default: true\n$2',
    /not the highest/,
    /Move "default: true"/,
    {
      at: 'terraform_binaries:',
    },
  ),
  m(
    '  provider: hashicorp/random',
    '  default: true',
    /only an engine can be the default/,
    /Remove "default"/,
  ),
  m('hashicorp/random', 'a/b/c/random', /no address of a provider/, /hashicorp\/random/),
  m('  version: 1.7.0\n  source', '  version: 1.6.0\n  source', /1.6.0 is used twice/, /each its own/, {
    at: 'version: 1.0.0',
  }),
  m(
    '  provider: hashicorp/random',
    '  provder: hashicorp/random',
    /provder is not known/,
    /Write "provider"/,
  ),
  m(
    '- version: 1.6.0\n- version: 1.7.0',
    '- version: 1.7.0\n- version: 1.6.0',
    /1.6.0 stands behind 1.7.0/,
    /lowest first/,
    {
      at: '- version: 1.6.0',
    },
  ),
  m(
    '- version: 1.6.0\n- version: 1.7.0',
    '- version: 1.7.0\n- version:   1.7.0',
    /1.7.0 is used twice/,
    /remove/,
    {
      at: '- version:   1.7.0',
    },
  ),
  m('- version: 1.6.0\n', '- version: 1.5.0\n', /no engine of version 1.5.0/, /Add tofu 1.5.0/),
  m(
    '- version: 1.6.0\n- version: 1.7.0',
    '- version: 1.6.0',
    /another version than the default/,
    /last step/,
    { at: '- version: 1.6.0' },
  ),
  m('- version: 1.6.0\n', '- version: one\n', /one is no version/, /three numbers/),
  m('- thing.yml', '- thign.yml', /thign.yml/, /Write "thing.yml"/),
  m('- thing.yml', '- ../thing.yml', /\.\.\/thing.yml/, /./),
  m('service_definitions:\n- thing.yml', 'service_definitions: thing.yml', /must be a list/, /a list/),
  m('- thing.yml\n', '- thing.yml\n- thing.yml\n', /used twice/, /each its own/, {
    at: '- thing.yml',
    last: true,
  }),
  m('  description: The account.\n', '', /description is missing/, /one sentence/, { at: '- name: ACCOUNT' }),
  m(
    'required_env_variables',
    'required_env_vars',
    /required_env_vars is not known/,
    /required_env_variables/,
  ),
  m('  API_KEY: api.key', '  API_KEY: [api.key]', /must be a text/, /Write a text/),
  m('metadata:\n  author: Somebody', 'metadata: Somebody', /must be a map/, /a map/),
  m('- os: linux', '\t- os: linux', /[Tt]ab|indent/, /./),
  m('name: things', 'name: things\nname: thing', /unique/, /Remove one/, { at: 'name: thing', last: true }),
  m('name: things', 'name: "things', /quote/, /Close the quote/, { at: 'unreached' }),
  // The catalog part of a definition.
  d('version: 1\n', 'version: 3\n', /3 is not known/, /Write 1/),
  d('version: 1\n', 'version: one\n', /must be a whole number/, /whole number/),
  d('name: thing\n', '', /name is missing/, /ordered/, { at: 'version: 1' }),
  d('name: thing\n', 'name: my thing\n', /does not fit platforms/, /letters, digits/),
  d('id: 00000000-0000-4000-8000-000000000000', 'id: thing-1', /"thing-1" is no UUID/, uuid),
  d('id: 00000000-0000-4000-8000-000000000000\n', '', /it has no id/, uuid, { at: 'version: 1' }),
  d('description: A thing.\n', '', /description is missing/, /one sentence/, { at: 'version: 1' }),
  d('display_name: Thing', 'displayname: Thing', /displayname is not known/, /Write "display_name"/, {}),
  d('image_url: https://example.com/i.png', 'image_url: i.png', /"i.png" is no URL/, /https:/),
  d('image_url: https://example.com/i.png', 'image_url: file://i.png', /no file i\.png/, /Add the file/),
  d(
    'documentation_url: https://example.com',
    'documentation_url: www.example.com',
    /no URL/,
    /documentation_url: https/,
  ),
  d('support_url: https://example.com/help', 'support_url:', /no URL/, /support_url: https/),
  d('tags: [thing]', 'tags: thing', /must be a list/, /a list/),
  d('plan_updateable: true', 'plan_updateable: maybe', /must be true or false/, /true or false/),
  d('plan_updateable', 'plan_updatable', /plan_updatable is not known/, /Write "plan_updateable"/),
  d('tags:', 'tgas:', /tgas is not known/, /Write "tags"/),
  d('tags: [thing]', 'tags: [thing', /flow|expected|\]/i, /./, { at: 'unreached' }),
  // Plans.
  d('- name: small\n', '- name:\n', /name is missing/, /ordered/),
  d('000000000002', '000000000001', /used twice/, /each its own/),
  d('- name: large', '- name: small', /small is used twice/, /each its own/, {
    at: '- name: small',
    last: true,
  }),
  d('id: 00000000-0000-4000-8000-000000000001', 'id: 1', /is no UUID/, uuid, { at: '  id: 1' }),
  d('  description: Small.\n', '', /description is missing/, /one sentence/, { at: '- name: small' }),
  d('    size: 1\n', '    sise: 1\n', /no input declares the property sise/, /Write "size"/),
  d('  properties:\n    size: 9', '  properties: {}', /required property size is missing/, /Add "size"/),
  d('    size: 9', '    size: 90', /size breaks its own constraints/, /Write a value/),
  d('    size: 9', '    size: much', /size (?:breaks its own constraints|cannot be cast)/, /Write a value/),
  d(
    '  properties:\n    size: 1',
    '  propertys:\n    size: 1',
    /propertys is not known/,
    /Write "properties"/,
    { at: '  propertys:' },
  ),
  // Inputs.
  d(
    '    type: integer\n    required',
    '    type: int\n    required',
    /"int" is no type/,
    /Write one of|"integer"|"object"/,
  ),
  d(
    '    type: string\n    details: Label',
    '    type: strng\n    details: Label',
    /"strng" is no type/,
    /Write "string"/,
    {
      at: '    type: strng',
    },
  ),
  d('    details: Colour\n', '', /details is missing/, /one sentence/, { at: '- field_name: colour' }),
  d('- field_name: colour\n', '- name: colour\n', /field_name is missing/, /name of the variable/),
  d('      maxLength: 60', '      maxlenght: 60', /maxlenght is not known/, /Write "maxLength"/),
  d('      maxLength: 60', '      maxLength: long', /no valid schema/, /draft 4/, {
    at: '    constraints:',
    last: true,
  }),
  d('pattern: ^[a-z0-9-]*$', 'pattern: "[a-z"', /no valid schema|pattern/, /draft 4|Write/, {
    at: 'unreached',
  }),
  d('    default: red', '    default: rde', /breaks its own constraints/, /red/),
  d('    default: 3', '    default: three', /cannot be cast|breaks/, /type integer|Write a value/),
  d('    default: 3', '    defalt: 3', /defalt is not known/, /Write "default"/),
  d(
    '- field_name: count',
    '- field_name: colour',
    /no input declares the variable count/,
    /Declare it|Write/,
    { told: 'thing.tf', at: 'variable "count"' },
  ),
  d('      red: Red', '      - red', /indent|sequence|map|block/i, /./, { at: 'unreached' }),
  d(
    '    tf_attribute: random_string.word.length',
    '    tf_attribute: length',
    /names no attribute/,
    /RESOURCE_TYPE/,
  ),
  d(
    'random_string.word.length',
    'random_string.wrod.length',
    /makes no resource random_string.wrod/,
    /random_string.word/,
  ),
  d('    prohibit_update', '    prohibit_update', /./, /./, {
    right: '    details: Colour\n',
    wrong: '    details: Colour\n    prohibit_updates: true\n',
    says: /prohibit_updates is not known/,
    fix: /Write "prohibit_update"/,
    at: 'prohibit_updates',
  }),
  d('    required: true', '    required: always', /must be true or false/, /true or false/),
  d(
    '  user_inputs:\n  - field_name: label',
    '  user_input:\n  - field_name: label',
    /user_input is not known/,
    /user_inputs/,
    { at: '  user_input:' },
  ),
  // Expressions.
  d(
    '${request.instance_id}',
    '${request.instance_idd}',
    /no variable request.instance_idd/,
    /Write "request.instance_id"/,
  ),
  d('${request.instance_id}', '${request.instance_id', /parse error|expected/, /Correct the expression/),
  d('${request.instance_id}', '${rand.base46(8)}', /no function rand.base46/, /Write "rand.base64"/),
  d('${request.instance_id}', '${rand.base64()}', /expected 1 arguments/, /as many arguments/),
  d(
    '${env("API_KEY")}',
    '${env("API_KAY")}',
    /does not declare the variable API_KAY/,
    /required_env_variables/,
  ),
  d('instance.details["address"]', 'instance.details["adress"]', /no output adress/, /Write "address"/),
  d(
    '${instance.details["address"]}',
    '${instance.detail["address"]}',
    /no variable instance.detail/,
    /instance.details/,
  ),
  d('    default: ${env("API_KEY")}\n', '', /default is missing/, /computed/, { at: '- name: key' }),
  d('    overwrite: true', '    overwrit: true', /overwrit is not known/, /Write "overwrite"/),
  // Templates, beside the definition and in it.
  d('template_ref: thing.tf', 'template_ref: things.tf', /not in the pak/, /Correct the path/, {
    at: 'unreached',
  }),
  t('variable "colour"', 'variable "color"', /no input declares the variable color/, /Write "colour"/),
  t('variable "key" { type = string }\n', '', /no variable key/, /Add variable "key"/, {
    at: 'value = "${var.colour}',
  }),
  t('output "address" {', 'output "adress" {', /no output adress is declared/, /Write "address"/),
  t(/output "name" .*\n/, '', /makes no output name/, /Add output "name"/, {
    told: 'thing.yml',
    at: '- field_name: name',
  }),
  t('length = var.count', 'length = var.counts', /no variable counts/, /Write "var.count"/),
  t('  length = var.count\n}', '  length = var.count\n', /Unclosed/, /Close the block/, { at: 'resource' }),
  t('length = var.count', 'length var.count', /[Aa]rgument or block definition|Invalid block/, /./),
  t('length = var.count', 'length =', /Invalid expression/, /Write a value/),
  t(
    'variable "size" { type = number }',
    'variable "size" { type = number }\nvariable "size" {}',
    /size is there twice/,
    /Remove one/,
    {
      at: 'variable "size" {}',
    },
  ),
  t('variable "size"', 'variable', /Missing type|labels|name/, /one name/),
  t('">= 1.6"', '">= 2.0"', /required_version is ">= 2.0"/, /what the pak brings/),
  t('"~> 3.5"', '"~> 4.0"', /required_providers random/, /what the pak brings/, { at: '    random = {' }),
  d('    output "uri" {', '    output "url" {', /no output url is declared/, /Write "uri"/),
  d('${var.role}', '${var.rle}', /no variable rle/, /Write "var.role"/),
  d('  - field_name: uri', '  - field_name: url', /makes no output url/, /Write "uri"/),
  // Examples.
  d(
    '  plan_id: 00000000-0000-4000-8000-000000000001',
    '  plan_id: 00000000-0000-4000-8000-000000000009',
    /no plan with its plan_id/,
    /Write/,
  ),
  d('    colour: blue', '    color: blue', /no parameter color/, /Write "colour"/),
  d('    colour: blue', '    colour: green', /breaks its own constraints/, /blue/),
  d('    role: writer', '    roll: writer', /no parameter roll/, /Write "role"/),
  d('- name: first\n', '-\n', /name is missing/, /ordered/, { at: '  description: The first.' }),
]
