/** The pak that `pak init` writes: one service of Terraform alone, which needs neither a cloud nor a provider. */
import type { StartingFile } from '../write-files.ts'

export const startingPak: readonly StartingFile[] = [
  {
    path: 'manifest.yml',
    text: `packversion: 1
name: my-services
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
- my-service.yml
`,
  },
  {
    path: 'my-service.yml',
    text: `version: 1
name: my-service
id: 7d1c5a0e-6a3f-4b6e-9f0b-2f8f5f1c0a01
description: Remembers a word.
display_name: My service
image_url: https://example.com/icon.png
documentation_url: https://example.com
support_url: https://example.com/support
tags: [example]
plan_updateable: true
plans:
- name: small
  id: 7d1c5a0e-6a3f-4b6e-9f0b-2f8f5f1c0a02
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
  plan_id: 7d1c5a0e-6a3f-4b6e-9f0b-2f8f5f1c0a02
  provision_params: {word: hello}
  bind_params: {}
`,
  },
  {
    path: 'terraform/main.tf',
    text: `variable "word" { type = string }
variable "words" { type = number }

resource "terraform_data" "word" {
  input = var.word
}

output "word_id" { value = terraform_data.word.id }
`,
  },
]
