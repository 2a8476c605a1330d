/** A hundred mistakes that authors of bundles make, each planted in a bundle.json that has none. */
import { type Planted, plantedIn } from '../support/planted.ts'

const digest = `sha256:${'a'.repeat(64)}`

/** The bundle without a mistake: nothing is said of it. */
export const wellMade = {
  'bundle.json': `{
  "schemaVersion": "1.1.0",
  "name": "queue",
  "version": "1.2.3",
  "description": "A queue.",
  "license": "Apache-2.0",
  "keywords": ["queue", "messages"],
  "maintainers": [
    {
      "name": "Ada",
      "email": "ada@example.com",
      "url": "https://example.com"
    }
  ],
  "invocationImages": [
    {
      "imageType": "docker",
      "image": "example.com/queue:1.2.3",
      "contentDigest": "${digest}",
      "size": 1000,
      "mediaType": "application/vnd.oci.image.manifest.v1+json"
    }
  ],
  "images": {
    "server": {
      "description": "The server.",
      "imageType": "docker",
      "image": "example.com/server:1.0.0",
      "contentDigest": "${digest}",
      "labels": {"tier": "back"}
    }
  },
  "definitions": {
    "label": {
      "type": "string",
      "title": "Label",
      "default": "orders",
      "minLength": 3,
      "maxLength": 20,
      "pattern": "^[a-z]+$"
    },
    "count": {
      "type": "integer",
      "default": 3,
      "minimum": 1,
      "maximum": 9
    },
    "kept": {
      "type": "string",
      "enum": ["memory", "disk"],
      "default": "disk"
    },
    "limits": {
      "type": "object",
      "properties": {
        "memory": {"type": "integer", "multipleOf": 2}
      },
      "required": ["memory"],
      "additionalProperties": false,
      "default": {"memory": 4}
    },
    "secret": {
      "type": "string",
      "writeOnly": true
    }
  },
  "parameters": {
    "label": {
      "definition": "label",
      "required": false,
      "description": "What to call it.",
      "destination": {
        "env": "LABEL"
      }
    },
    "count": {
      "definition": "count",
      "applyTo": ["install"],
      "destination": {"path": "/tmp/count"}
    },
    "kept": {
      "definition": "kept",
      "destination": {"env": "KEPT"}
    },
    "limits": {
      "definition": "limits",
      "destination": {"path": "/etc/limits"}
    }
  },
  "credentials": {
    "token": {
      "env": "TOKEN",
      "required": true,
      "description": "Of the cloud."
    },
    "kubeconfig": {
      "path": "/home/user/.kube/config"
    }
  },
  "outputs": {
    "address": {
      "definition": "label",
      "path": "/cnab/app/outputs/address",
      "description": "Where it is."
    },
    "password": {
      "definition": "secret",
      "path": "/cnab/app/outputs/password"
    }
  },
  "actions": {
    "status": {
      "title": "Status",
      "modifies": false,
      "stateless": true
    }
  },
  "requiredExtensions": ["io.example"],
  "custom": {
    "io.example": {"a": 1}
  }
}
`,
} as const

const here = plantedIn<string>('bundle.json')

/** A key that is written otherwise; the line is that of the key. */
const misspelt = (right: string, wrong: string, within?: RegExp): Planted =>
  here(
    within ?? `"${right}":`,
    within === undefined ? `"${wrong}":` : `$1"${wrong}":`,
    new RegExp(`did you mean "${right}"`),
    new RegExp(`Write "${right}" instead`),
    within === undefined ? {} : { at: `"${wrong}"` },
  )

/** A member of a map of the bundle. */
const below = (map: string, key: string): RegExp => new RegExp(`("${map}": \\{[\\s\\S]*?)"${key}":`)

const text = /must be a text/
const quoted = /quotation marks/

const keys: readonly Planted[] = [
  misspelt('description', 'descripton'),
  misspelt('license', 'licence'),
  misspelt('keywords', 'keyword'),
  misspelt('maintainers', 'maintainer'),
  misspelt('images', 'imgaes'),
  misspelt('definitions', 'defintions', /()"definitions":/),
  misspelt('parameters', 'paramters'),
  misspelt('credentials', 'credentails'),
  misspelt('outputs', 'output', /()"outputs":/),
  misspelt('actions', 'action'),
  misspelt('requiredExtensions', 'requiredExtension'),
  misspelt('custom', 'costum'),
  misspelt('email', 'mail'),
  misspelt('url', 'uri'),
  misspelt('imageType', 'imagetype'),
  misspelt('contentDigest', 'contentDigst'),
  misspelt('mediaType', 'mediatype'),
  misspelt('labels', 'lables'),
  misspelt('definition', 'defintion', below('parameters', 'definition')),
  misspelt('required', 'requierd', below('parameters', 'required')),
  misspelt('destination', 'destinaton'),
  misspelt('applyTo', 'appliesTo'),
  misspelt('env', 'evn', below('destination', 'env')),
  misspelt('required', 'Required', below('credentials', 'required')),
  misspelt('description', 'desciption', below('credentials', 'description')),
  misspelt('path', 'paht', below('outputs', 'path')),
  misspelt('definition', 'definiton', below('outputs', 'definition')),
  misspelt('title', 'titel', below('actions', 'title')),
  misspelt('modifies', 'modifes'),
  misspelt('stateless', 'stateles'),
  misspelt('type', 'tpye', below('definitions', 'type')),
  misspelt('title', 'titel', below('definitions', 'title')),
  misspelt('default', 'defualt', below('definitions', 'default')),
  misspelt('minLength', 'minlength'),
  misspelt('maxLength', 'maxlength'),
  misspelt('pattern', 'patern'),
  misspelt('minimum', 'minimun'),
  misspelt('maximum', 'maximun'),
  misspelt('enum', 'enums'),
  misspelt('properties', 'propertys'),
  misspelt('additionalProperties', 'additionalProperites'),
  misspelt('multipleOf', 'multipleof'),
  misspelt('writeOnly', 'writeonly'),
]

const top: readonly Planted[] = [
  here('"schemaVersion": "1.1.0"', '"schemaVersion": "one"', /invalid schema version/, /v1\.0\.0/),
  here(
    '"schemaVersion": "1.1.0"',
    '"schemaVersion": ""',
    /invalid schema version|no schemaVersion/,
    /v1\.0\.0|Build it again/,
  ),
  here('"schemaVersion": "1.1.0"', '"schemaVersion": "9.0.0"', /not a known version/, /1\.2\.0/),
  here('"schemaVersion": "1.1.0"', '"schemaVersion": 1', text, quoted),
  here('"name": "queue"', '"name": ""', /must be a name/, /"name": "my-bundle"/),
  here('"name": "queue"', '"name": "a\\tb"', /must be a name/, /"name": "my-bundle"/),
  here('"name": "queue"', '"name": ["queue"]', text, quoted),
  here('"version": "1.2.3"', '"version": "latest"', /not a valid bundle version/, /"version": "1\.2\.3"/),
  here('"version": "1.2.3"', '"version": "1.2"', /no full semantic version/, /"version": "1\.2\.3"/),
  here('"version": "1.2.3"', '"version": "v1.2.3"', /no full semantic version/, /"version": "1\.2\.3"/),
  here('"version": "1.2.3"', '"version": 1.2', text, quoted),
  here('"description": "A queue."', '"description": 7', text, quoted),
  here('"license": "Apache-2.0"', '"license": ["Apache-2.0"]', text, quoted),
  here('["queue", "messages"]', '"queue"', /list of texts/, /Write a list/),
  here('["queue", "messages"]', '["queue", 7]', /list of texts/, /Write a list/),
  here('"name": "Ada"', '"name": true', text, quoted),
  here(/"maintainers": \[[\s\S]*?\n {2}\]/, '"maintainers": "Ada"', /must be a list/, /Write a list/),
  here(/"maintainers": \[[\s\S]*?\n {2}\]/, '"maintainers": ["Ada"]', /must be an object/, /Write a map/),
  here(
    /"invocationImages": \[[\s\S]*?\n {2}\]/,
    '"invocationImages": []',
    /at least one invocation image/,
    /Add "invocationImages"/,
  ),
  here(/"invocationImages": \[[\s\S]*?\n {2}\]/, '"invocationImages": "x"', /must be a list/, /Write a list/),
  here('["io.example"]', '["io.exmple"]', /'io\.exmple' is not defined/, /Write "io\.example"/),
  here('["io.example"]', '["io.other.thing"]', /is not defined/, /to "custom"/),
  here('["io.example"]', '["io.example", "io.example"]', /already declared/, /Name it once/),
  here('["io.example"]', '"io.example"', /list of texts/, /Write a list/),
  here('"custom": {\n    "io.example": {"a": 1}\n  }', '"custom": []', /must be a map/, /Write a map/, {
    at: '"custom"',
  }),
  here('"keywords"', '"description": "Twice.",\n  "keywords"', /there twice/, /./, { at: 'Twice.' }),
]

const images: readonly Planted[] = [
  here('      "image": "example.com/queue:1.2.3",\n', '', /image must be provided/, /Add "image"/, {
    at: '    {',
    last: true,
  }),
  here('"image": "example.com/queue:1.2.3"', '"image": 7', /must be a text/, quoted),
  here('"image": "example.com/queue:1.2.3"', '"image": ""', /image must be provided/, /Add "image"/, {
    at: '    {',
    last: true,
  }),
  here(/"size": 1000/, '"size": "1000"', /number of bytes/, /whole number/),
  here(/"size": 1000/, '"size": -1', /number of bytes/, /whole number/),
  here(/"size": 1000/, '"size": 10.5', /number of bytes/, /whole number/),
  here('{"tier": "back"}', '{"tier": 1}', /map of texts/, /Write a map/),
  here('{"tier": "back"}', '["back"]', /map of texts/, /Write a map/),
  here('      "image": "example.com/server:1.0.0",\n', '', /has no image/, /Mend|Build|bundle/, {
    at: '"server"',
  }),
  here(/"contentDigest": "sha256:a+"/, '"contentDigest": "sha256:abc"', /is no digest/, /./, {
    at: '    {',
    last: true,
  }),
  here(/ {6}"contentDigest": "sha256:a+",\n/, '', /example\.com\/queue/, /digest/, {
    at: '    {',
    last: true,
  }),
]

const definitions: readonly Planted[] = [
  here('"default": "orders"', '"default": "Orders"', /pattern/, /default that its own schema/),
  here('"default": "orders"', '"default": "or"', /fewer|characters|shorter/, /default that its own schema/),
  here('"default": "orders"', '"default": 7', /string/, /default that its own schema/),
  here('"default": 3', '"default": "3"', /integer/, /default that its own schema/),
  here('"default": 3', '"default": 0', />=|at least|minimum/, /default that its own schema/),
  here('"default": 3', '"default": 10', /<=|at most|maximum/, /default that its own schema/),
  here('"default": 3', '"default": 1.5', /integer/, /default that its own schema/),
  here('"default": "disk"', '"default": "tape"', /./, /default that its own schema/),
  here('"default": {"memory": 4}', '"default": {"memory": 3}', /multiple/, /default that its own schema/),
  here('"default": {"memory": 4}', '"default": {}', /is required/, /default that its own schema/),
  here('"default": {"memory": 4}', '"default": {"memory": 4, "x": 1}', /./, /default that its own schema/),
  here('"type": "integer",\n      "default"', '"type": "int",\n      "default"', /type/, /./, {
    at: '"count": {',
  }),
  here('"minimum": 1', '"minimum": "1"', /minimum|number/, /./, { at: '"count": {' }),
  here('"enum": ["memory", "disk"]', '"enum": "memory"', /enum|array/, /./, { at: '"kept": {' }),
  here('"required": ["memory"]', '"required": true', /required|array/, /./, { at: '"limits": {' }),
  here('"pattern": "^[a-z]+$"', '"pattern": "^[a-z+$"', /pattern|regex|expression/i, /./, {
    at: '"label": {',
  }),
  here(/"secret": \{[^}]*\}/, '"secret": "string"', /JSON Schema/, /./),
]

const values: readonly Planted[] = [
  here(
    '"definition": "label",\n      "required"',
    '"definition": "lable",\n      "required"',
    /unable to find definition for label/,
    /Write "label"/,
  ),
  here(
    '"definition": "count"',
    '"definition": "number-of"',
    /unable to find definition for count/,
    /Add "number-of"/,
  ),
  here('      "definition": "count",\n', '', /definition must be provided/, /Add "definition"/, {
    at: '"count": {',
    last: true,
  }),
  here(
    '"definition": "secret"',
    '"definition": "secrets"',
    /unable to find definition for password/,
    /Write "secret"/,
  ),
  here('      "definition": "secret",\n', '', /output definition must be provided/, /Add "definition"/, {
    at: '"password"',
  }),
  here('"required": false', '"required": "false"', /true or false/, /without quotation marks/),
  here('"required": true', '"required": 1', /true or false/, /without quotation marks/),
  here('"applyTo": ["install"]', '"applyTo": "install"', /list of texts/, /Write a list/),
  here('{"env": "KEPT"}', '{}', /destination must be provided/, /variable or a path/, {
    at: '"kept": {',
    last: true,
  }),
  here('{"env": "KEPT"}', '"KEPT"', /must be a map/, /Write a map/),
  here('{"env": "KEPT"}', '{"env": "LABEL"}', /goes to LABEL, too/, /of its own/, {
    at: '"kept": {',
    last: true,
  }),
  here('{"env": "KEPT"}', '{"env": "TOKEN"}', /goes to TOKEN, too/, /of its own/, {
    at: '"kept": {',
    last: true,
  }),
  here('{"env": "KEPT"}', '{"env": "CNAB_ACTION"}', /CNAB_ACTION/, /CNAB_/),
  here('{"env": "KEPT"}', '{"env": "A=B"}', /no name of an environment variable/, /./),
  here('{"env": "KEPT"}', '{"env": "CNAB_P_KEPT"}', /variables of the runtime/, /./),
  here('{"path": "/tmp/count"}', '{"path": "/tmp/../count"}', /absolute, clean path/, /absolute paths/),
  here(
    '{"path": "/tmp/count"}',
    '{"path": "/cnab/app/outputs/count"}',
    /must not be a subpath/,
    /absolute paths/,
  ),
  here('{"path": "/tmp/count"}', '{"path": "/cnab/app/run"}', /runtime's own/, /absolute paths/),
  here('{"path": "/tmp/count"}', '{"path": "/proc/count"}', /system's own/, /absolute paths/),
  here('{"path": "/tmp/count"}', '{"path": "/etc/limits/count"}', /is no folder/, /of its own/, {
    at: '"limits": {',
    last: true,
  }),
  here('{"path": "/tmp/count"}', '{"path": 7}', text, quoted),
  here('"env": "TOKEN",\n', '', /env or path must be supplied/, /variable or a path/, { at: '"token"' }),
  here('"env": "TOKEN"', '"env": ["TOKEN"]', text, quoted),
  here(
    '"path": "/cnab/app/outputs/password"',
    '"path": "/tmp/password"',
    /clean path under/,
    /outputs below/,
  ),
  here(
    '"path": "/cnab/app/outputs/password"',
    '"path": "/cnab/app/outputs/address"',
    /address is written to/,
    /of its own/,
  ),
  here(
    '"path": "/cnab/app/outputs/password"',
    '"path": "/cnab/app/outputs/address/x"',
    /address is written to/,
    /of its own/,
  ),
  here(
    '"path": "/cnab/app/outputs/password"',
    '"path": "cnab/app/outputs/password"',
    /clean path under/,
    /outputs below/,
  ),
  here(',\n      "path": "/cnab/app/outputs/password"', '', /output path must be provided/, /Add "path"/, {
    at: '"password"',
  }),
  here('"status": {', '"upgrade": {', /always there/, /Take it out/),
  here('"modifies": false', '"modifies": "no"', /true or false/, /without quotation marks/),
  here('"stateless": true', '"stateless": 1', /true or false/, /without quotation marks/),
  here(/"status": \{[\s\S]*?\n {4}\}/, '"status": "Status"', /must be an object/, /Write a map/),
]

export const mistakes: readonly Planted[] = [...keys, ...top, ...images, ...definitions, ...values]
