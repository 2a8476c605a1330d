/** The pak that `pak init` writes: one service of Terraform alone, which needs neither a cloud nor a provider. */
import { uuidOf } from '../../kit/hash.ts'
import type { StartingFile } from '../write-files.ts'

/** A pak of that name, whose ids no pak of another name has. */
export function startingPak(name: string): readonly StartingFile[] {
  return [
    { path: 'manifest.yml', text: manifest(name) },
    { path: 'service.yml', text: service(name) },
    { path: 'terraform/main.tf', text: template },
  ]
}

const manifest = (name: string) => `packversion: 1
name: ${JSON.stringify(name)}
version: 1.0.0
metadata:
  author: me@example.com
platforms:
- os: linux
  arch: amd64
terraform_binaries:
# Fetched by "chandler pak build"; url_template may also be a path in this folder.
- name: tofu
  version: 1.9.0
  source: https://github.com/opentofu/opentofu/archive/refs/tags/v1.9.0.zip
service_definitions:
- service.yml
`

const service = (name: string) => `version: 1
name: ${JSON.stringify(name)}
id: ${uuidOf('pak', name)}
description: Remembers a word.
display_name: ${JSON.stringify(name)}
image_url: https://example.com/icon.png
documentation_url: https://example.com
support_url: https://example.com/support
tags: [example]
plan_updateable: true
plans:
- name: small
  id: ${planId(name)}
  description: One word.
  display_name: Small
  properties: {words: 1}
provision:
  plan_inputs:
  - {field_name: words, type: integer, required: true, details: How many words there may be.}
  user_inputs:
  - {field_name: word, type: string, details: The word., default: hello}
  template_refs:
    main: terraform/main.tf
  outputs:
  - {field_name: word_id, type: string, details: Id of what was made.}
bind:
  plan_inputs: []
  user_inputs: []
  template: |
    output "uri" { value = "word://localhost" }
  outputs:
  - {field_name: uri, type: string, details: Where the word is.}
examples:
- name: a word
  description: Remembers hello.
  plan_id: ${planId(name)}
  provision_params: {word: hello}
  bind_params: {}
`

const planId = (name: string): string => uuidOf('pak', name, 'small')

const template = `variable "word" { type = string }
variable "words" { type = number }

resource "terraform_data" "word" {
  input = var.word
}

output "word_id" { value = terraform_data.word.id }
`
