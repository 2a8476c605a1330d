/** Mistakes that authors of patterns make, each planted in a folder that has none: its documents, its program, how its image is built. */
import { type Planted, plantedIn } from '../support/planted.ts'

/** The pattern without a mistake: nothing is said of it. */
export const wellMade = {
  'image.yml': `entrypoint: [/pattern]
root: root
environment:
  PATH: /bin
  LANG: C
labels: {org.opencontainers.image.title: Queue}
user: "1000"
workingFolder: /
tools: [sh, cat, od, tr, sed]
`,
  Containerfile: `FROM docker.io/library/busybox:1.36
LABEL org.opencontainers.image.title="Queue"
COPY root /
USER 1000
ENTRYPOINT ["/pattern"]
`,
  'root/metadata.yml': `pattern: tweed/v1
name: Queue
version: 1.2.0
summary: A queue for applications
description: |
  Gives every binding an account of its own on a *queue*.
icon:
  base64: |
    iVBORw0KGgoAAAANSUhEUgAAAIAAAACAAgMAAAC+UIlYAAAADFBMVEUAAAAvXYr28eSKj5jLC31tAAAAAXRSTlMAQObYZgAAAHJJ
    REFUeNpjYBgFgw2EYgBUeVFMBSHI8oyhWIADkgJWbAoCSFEgik1BCFUVgAVWrfqPAKtWoYQEsQpQwKiCIa4AEdfkKhgNyeGYHkbL
    h1EFo+XDqILR8mFUwWj5gEcBHZrulPcvCHZhCHaCCHejRsEgAACCSMvlWKFEgAAAAABJRU5ErkJggg==
copyright: The queue project
authors:
  - Ada <ada@example.com>
  - Ben
files:
  - filename: summary.txt
    summary: What was made
    description: One line with the *label*.
  - filename: certs/ca.pem
    summary: The authority
inputs:
  label:
    type: string
    title: Label
    description: What to call it.
    pattern: ^[a-z][a-z0-9-]*$
    minLength: 3
    maxLength: 20
    default: orders
  count:
    type: integer
    minimum: 1
    maximum: 9
    default: 3
  share:
    type: number
    exclusiveMinimum: 0
    multipleOf: 0.25
    default: 0.5
  kept:
    type: string
    enum: [memory, disk]
    default: disk
  mirrored:
    type: boolean
    default: false
  hosts:
    type: array
    items: {type: string}
    minItems: 1
    uniqueItems: true
    default: [a]
  contact:
    type: string
    format: email
    required: true
  password:
    type: string
    writeOnly: true
`,
  'root/pattern': `#!/bin/sh
# The one argument is the operation.
set -e

random() { od -An -N12 -tx1 /dev/urandom | tr -d ' \\n'; }
value() { sed -n "s/.*\\"$1\\": *\\"\\([^\\"]*\\)\\".*/\\1/p" "$2"; }

case "$1" in
  metadata)
    cat /metadata.yml
    ;;
  provision)
    label=$(value label "$INPUTS")
    echo "$label" > "$CREDSTORE/label"
    random > "$CREDSTORE/secret"
    echo "$label was made" > "$OUTPUTS/summary.txt"
    ;;
  bind)
    echo "making an account" >&2
    echo "label: $(cat "$CREDSTORE/label")"
    echo "password: $(random)"
    ;;
  unbind)
    echo "removing an account of $(value label "$BINDING")"
    ;;
  deprovision)
    echo "removing $(cat "$CREDSTORE/label")"
    ;;
  *)
    echo "unknown operation $1" >&2
    exit 1
    ;;
esac
`,
  'examples.yml': `examples:
  - name: defaults
    plan: default
    parameters: {contact: ada@example.com}
    expect:
      credentials: {label: orders}
  - name: named
    parameters:
      contact: ada@example.com
      label: letters
      count: 2
    expect:
      credentials:
        password: /^[0-9a-f]+$/
  - name: too short
    parameters: {contact: ada@example.com, label: x}
    expect:
      fails: provision
      because: label
`,
} as const

export type File = keyof typeof wellMade

const metadata = plantedIn<File>('root/metadata.yml')
const program = plantedIn<File>('root/pattern')
const image = plantedIn<File>('image.yml')
const container = plantedIn<File>('Containerfile')
const examples = plantedIn<File>('examples.yml')

type Row = Planted & { readonly file: File }

const top = { at: 'pattern: tweed/v1' }

/** A key that is written otherwise: the line is that of the key. */
const misspelt = (right: string, wrong: string, more?: Partial<Row>): Row =>
  metadata(`${right}:`, `${wrong}:`, new RegExp(`"${wrong}"`), new RegExp(`"${right}"`), more)

const unreadable: readonly Row[] = [
  metadata('authors:\n  - Ada <ada@example.com>\n  - Ben', 'authors: [Ada, Ben', /./, /Close the bracket/, {
    at: 'files:',
  }),
  metadata('summary: A queue for', 'summary: A queue: for', /./, /Quote a value/),
  metadata('  - Ben', '\t- Ben', /./, /blanks instead of tabs/),
  metadata('summary: A queue', 'summary: *fast* queue', /./, /Quote a text that begins with \*/),
  metadata('summary: A queue', 'summary: `queue`', /./, /Quote a text/),
  metadata('summary: A queue', 'summary: @queue', /./, /Quote a text/),
  metadata('pattern: ^[a-z][a-z0-9-]*$', 'pattern: "^\\d+$"', /./, /single quotes/),
  metadata('name: Queue', 'name: "Queue', /./, /Close the quote/, { at: 'name: "Queue' }),
  metadata('copyright: The', 'summary: Twice\ncopyright: The', /unique/, /Remove one/, { at: 'Twice' }),
  metadata('copyright: The', '---\ncopyright: The', /more than one document/, /the line "---"/, {
    at: '---',
  }),
  metadata('version: 1.2.0', 'version:1.2.0', /./, /blank after the colon/),
  metadata('version: 1.2.0', ' version: 1.2.0', /./, /[Ii]ndent/, { at: 'name: Queue' }),
  metadata('  - filename: certs/ca.pem', '  filename: certs/ca.pem', /./, /list and a map do not mix/),
  metadata('maximum: 9', 'maximum: .inf', /infinite/, /number|Leave it out/),
]

const identity: readonly Row[] = [
  metadata('tweed/v1', 'tweed/v2', /tweed\/v2/, /"pattern: tweed\/v1"/),
  metadata('tweed/v1', 'tweed/1', /tweed\/1/, /"pattern: tweed\/v1"/),
  metadata('tweed/v1', 'Tweed/V1', /Tweed\/V1/, /"pattern: tweed\/v1"/),
  metadata('tweed/v1', 'v1', /"v1"/, /"pattern: tweed\/v1"/),
  metadata('tweed/v1', '[tweed/v1]', /no text/, /"pattern: tweed\/v1"/),
  metadata('tweed/v1', '', /missing/, /"pattern: tweed\/v1"/),
  metadata('pattern: tweed/v1\n', '', /missing/, /"pattern: tweed\/v1"/, { at: 'name: Queue' }),
  metadata('pattern: tweed/v1', 'patern: tweed/v1', /"patern"/, /Write "pattern"/),
  metadata('pattern: tweed/v1', 'Pattern: tweed/v1', /"Pattern"/, /Write "pattern"/),
  metadata('pattern: tweed/v1', 'tweed: v1', /earlier draft/, /"pattern: tweed\/v1"/),
  metadata('pattern: tweed/v1', 'backend: tweed/v1', /backend/, /"pattern: tweed\/v1"/),
  metadata('pattern: tweed/v1\nname: Queue', 'tweed: v1\npattern: Queue', /"Queue"/, /under "name"/, {
    at: 'pattern: Queue',
  }),
  metadata('name: Queue\n', '', /"name" is missing/, /Add "name: /, top),
  metadata('name: Queue', 'nmae: Queue', /"nmae"/, /Write "name"/),
  metadata('name: Queue', 'title: Queue', /"name" is missing/, /Write "name"/, { at: 'title: Queue' }),
  metadata('name: Queue', 'name: ""', /empty/, /name: /),
  metadata('name: Queue', 'name: [Queue]', /no text|list/, /Write a text/),
  metadata('name: Queue', `name: ${'Queue '.repeat(50)}`, /longer than 255/, /Shorten/),
  metadata('version: 1.2.0\n', '', /"version" is missing/, /Add "version: /, top),
  metadata('version: 1.2.0', 'verison: 1.2.0', /"verison"/, /Write "version"/),
  metadata('version: 1.2.0', 'version: v1.2.0', /v1\.2\.0/, /Write 1\.2\.0/),
  metadata('version: 1.2.0', 'version: 1.2', /1\.2/, /Write 1\.2\.0/),
  metadata('version: 1.2.0', 'version: latest', /latest/, /MAJOR\.MINOR\.PATCH/),
  metadata('version: 1.2.0', 'version: 01.2.0', /01\.2\.0/, /Write 1\.2\.0/),
  metadata('version: 1.2.0', 'version: {major: 1}', /map/, /Write a text/),
  metadata('version: 1.2.0', 'version:', /"version" is missing|empty/, /version: /),
]

const describing: readonly Row[] = [
  misspelt('summary', 'sumary'),
  misspelt('summary', 'Summary'),
  misspelt('description', 'desciption'),
  misspelt('icon', 'icno'),
  misspelt('icon', 'Icon'),
  misspelt('copyright', 'copyrigth'),
  misspelt('authors', 'author'),
  misspelt('authors', 'autors'),
  misspelt('files', 'file'),
  misspelt('inputs', 'input'),
  metadata('inputs:', 'parameters:', /"parameters"/, /"inputs"/),
  metadata('files:', 'outputs:', /"outputs"/, /"files"/),
  metadata('copyright: The', 'homepage: x\ncopyright: The', /"homepage"/, /Remove/),
  metadata('summary: A queue for applications', 'summary: [A queue]', /summary/, /Write a text/),
  metadata('summary: A queue for applications', 'summary: 2026', /spelt|2026/, /quotes/),
  metadata(
    'summary: A queue for applications',
    'summary: |\n  A queue\n  for applications',
    /several lines/,
    /one line/,
    { at: 'summary: |' },
  ),
  metadata('description: |\n  Gives', 'description:\n  - Gives', /description/, /Write a text/, {
    at: 'description:',
  }),
  metadata('copyright: The queue project', 'copyright: {by: us}', /copyright/, /Write a text/),
  metadata('authors:\n  - Ada <ada@example.com>\n  - Ben', 'authors: Ada', /Ada/, /Write a list/),
  metadata('  - Ada <ada@example.com>\n', '  - name: Ada\n    email: x\n', /text/, /Ada|"Name <address>"/, {
    at: '- name: Ada',
  }),
  metadata(
    'authors:\n  - Ada <ada@example.com>\n  - Ben',
    'authors:\n  ada: Ada',
    /list/,
    /Write a list: authors/,
    {
      at: 'authors:',
    },
  ),
  metadata('  - Ben', '  -', /text/, /Write a text|Remove/),
]

const png = /icon:\n {2}base64: \|\n(?: {4}\S+\n)+/

const icon: readonly Row[] = [
  metadata('base64: |', 'base46: |', /"base46"/, /Write "base64"/),
  metadata('base64: |', 'png: |', /base64/, /"base64"/),
  metadata(png, 'icon: icon.png\n', /map/, /base64: /),
  metadata(png, 'icon: {base64: icon.png}\n', /base64/, /base64 -w0|not its name/),
  metadata('    iVBOR', '    data:image/png;base64,iVBOR', /data: address|data:/, /Leave out|Remove/, {
    at: 'base64: |',
  }),
  metadata(png, `icon: {base64: ${Buffer.from('<svg/>').toString('base64')}}\n`, /PNG/, /PNG/),
  metadata(png, 'icon: {base64: /9j/4AAQSkZJRgABAQAAAQABAAD=}\n', /JPEG|PNG/, /PNG/),
  metadata('AAANSUhEUgAAAIAAAACA', 'AAANSUhEUgAAAEAAAABA', /64x64/, /128x128/, { at: 'base64: |' }),
  metadata('ErkJggg==', 'ErkJgg', /base64/, /whole|base64/, { at: 'base64: |' }),
]

const files: readonly Row[] = [
  metadata(/files:\n[\s\S]*?inputs:/, 'files: {summary.txt: What}\ninputs:', /list/, /Write a list/),
  metadata(
    '  - filename: summary.txt\n    summary: What was made\n    description: One line with the *label*.\n',
    '  - summary.txt\n',
    /map/,
    /"filename: summary\.txt"/,
  ),
  metadata('  - filename: certs/ca.pem\n    summary', '  - summary', /filename/, /Add "filename: /),
  metadata('filename: certs', 'file_name: certs', /"file_name"/, /Write "filename"/),
  metadata('filename: certs', 'fileName: certs', /"fileName"/, /Write "filename"/),
  metadata('filename: certs', 'name: certs', /"name"/, /Write "filename"/),
  metadata('filename: certs', 'path: certs', /"path"/, /Write "filename"/),
  metadata('filename: certs/ca.pem', 'filename:', /filename/, /relative to \$OUTPUTS/),
  metadata('filename: certs', 'filename: /tweed/outputs/certs', /filename/, /Write certs\/ca\.pem|"certs/),
  metadata('filename: certs', 'filename: $OUTPUTS/certs', /\$OUTPUTS/, /"certs\/ca\.pem"/),
  metadata('filename: certs', 'filename: ../certs', /filename/, /relative to \$OUTPUTS/),
  metadata('filename: certs/ca.pem', 'filename: certs/', /folder/, /file/),
  metadata('filename: certs/ca.pem', 'filename: certs/*.pem', /\*/, /each file/),
  metadata('filename: certs/ca.pem', 'filename: summary.txt', /listed twice/, /Remove one|own/),
  metadata('filename: certs/ca.pem', 'filename: [ca.pem]', /filename/, /relative to \$OUTPUTS/),
  metadata('    summary: The auth', '    sumary: The auth', /"sumary"/, /Write "summary"/),
  metadata('    description: One', '    desciption: One', /"desciption"/, /Write "description"/),
  metadata(
    '    summary: The authority',
    '    summary: [The authority]',
    /summary/,
    /Write (it as )?a? ?text/,
  ),
]

/** A keyword of a schema that is written otherwise. */
const keyword = (right: string, wrong: string): Row =>
  metadata(`    ${right}:`, `    ${wrong}:`, new RegExp(`"${wrong}"`), new RegExp(`Write "${right}"`))

const inputs: readonly Row[] = [
  metadata(
    /inputs:\n {2}label:\n[\s\S]*/,
    'inputs:\n  - name: label\n    type: string\n',
    /list/,
    /"label: /,
    {
      at: 'inputs:',
    },
  ),
  metadata(/inputs:\n {2}label:\n[\s\S]*/, 'inputs: label\n', /map/, /Write a map/),
  metadata(/ {2}password:\n.*\n.*\n/, '  password: string\n', /map/, /"password: \{type: string\}"/),
  metadata('type: integer', 'type: interger', /"interger"/, /Write "integer"/),
  metadata('type: integer', 'type: int', /"int"/, /Write "integer"/),
  metadata('type: boolean', 'type: bool', /"bool"/, /Write "boolean"/),
  metadata('type: boolean', 'type: flag', /"flag"/, /string, number, integer|integer, number/),
  metadata('type: number', 'type: float', /"float"/, /Write "number"/),
  metadata('type: string', 'type: text', /"text"/, /Write "string"/),
  metadata('type: string', 'type: String', /"String"/, /Write "string"/),
  metadata('type: array', 'type: list', /"list"/, /Write "array"/),
  metadata('    type: string\n    enum:', '    type: enum\n    enum:', /"enum"/, /Write "string"|list them/),
  metadata('type: integer', 'type: [integer, nul]', /"nul"/, /Write "null"/),
  keyword('default', 'defualt'),
  keyword('title', 'titel'),
  keyword('description', 'desciption'),
  keyword('pattern', 'patern'),
  keyword('minLength', 'min_length'),
  keyword('maxLength', 'maxlength'),
  keyword('maxLength', 'maxLenght'),
  keyword('minimum', 'min'),
  keyword('maximum', 'maximun'),
  keyword('exclusiveMinimum', 'exclusive_minimum'),
  keyword('multipleOf', 'multipleof'),
  keyword('enum', 'enums'),
  keyword('enum', 'values'),
  keyword('required', 'requierd'),
  keyword('writeOnly', 'writeonly'),
  keyword('uniqueItems', 'uniqeItems'),
  keyword('format', 'fromat'),
  metadata('format: email', 'format: emial', /"emial"/, /Write "email"/),
  metadata('required: true', 'required: "true"', /quot/, /without quotation marks|required: true/),
  metadata('required: true', 'required: yes', /"yes"/, /required: true/),
  metadata('minimum: 1', 'minimum: "1"', /minimum/, /without quotation marks/),
  metadata('minimum: 1', 'minimum: one', /minimum/, /Write a number/),
  metadata('maxLength: 20', 'maxLength: -1', /maxLength/, /whole number/),
  metadata('enum: [memory, disk]', 'enum: memory', /enum/, /Write a list/),
  metadata('enum: [memory, disk]\n    default: disk', 'enum: []', /enum/, /[Ll]ist/),
  metadata('enum: [memory, disk]', 'enum: [disk, disk]', /twice|duplicate/, /Remove one|once/),
  metadata('enum: [memory, disk]', 'enum: [1, disk]', /1/, /type/),
  metadata('pattern: ^[a-z][a-z0-9-]*$', 'pattern: ^[a-z$', /pattern/, /regular expression/),
  metadata('pattern: ^[a-z][a-z0-9-]*$', 'pattern: ^(?!x)[a-z]+$', /pattern/, /look/),
  metadata('default: orders', 'default: Orders', /default of label/, /default or the schema/),
  metadata('default: orders', 'default: or', /default of label/, /default or the schema/),
  metadata('default: 3', 'default: three', /default of count/, /Write a whole number/),
  metadata('default: 3', 'default: "3"', /default of count/, /without quotation marks/),
  metadata('default: 3', 'default: 10', /default of count/, /default or the schema/),
  metadata('default: 3', 'default:', /default of count/, /default or the schema|Leave/),
  metadata('default: disk', 'default: tape', /default of kept/, /memory.*disk/),
  metadata('default: disk', 'default: dsk', /default of kept/, /"disk"/),
  metadata('default: false', 'default: no', /default of mirrored/, /true or false/),
  metadata('default: [a]', 'default: a', /default of hosts/, /list/),
  metadata('minimum: 1', 'minimum: 10', /minimum.*maximum/, /[Ss]wap|below/, { at: 'minimum: 10' }),
  metadata('minLength: 3', 'minLength: 30', /minLength.*maxLength/, /[Ss]wap|below/, { at: 'minLength: 30' }),
  metadata('minimum: 1', 'minLength: 1', /minLength/, /minimum|integer/),
  metadata('items: {type: string}', 'items: string', /items/, /\{type: string\}/),
  metadata(
    '    items: {type: string}',
    '    $ref: "#/definitions/hosts"',
    /definitions\/hosts/,
    /\$ref|reference/,
  ),
  metadata(
    '    format: email',
    '    $ref: https://example.com/mail.json',
    /example\.com/,
    /into the document|here/,
  ),
  metadata('    writeOnly: true\n', '', /password is not hidden/, /writeOnly: true/, { at: '  password:' }),
]

const running: readonly Row[] = [
  program('#!/bin/sh', '#!/bin/bash', /\/bin\/bash/, /#!\/bin\/sh/),
  program('#!/bin/sh', '#!/usr/bin/env sh', /\/usr\/bin\/env/, /#!\/bin\/sh/),
  program('#!/bin/sh', '#! /bin/shh', /\/bin\/shh/, /#!\/bin\/sh/),
  program('#!/bin/sh\n', '', /#!/, /#!\/bin\/sh/, { at: '# The one argument' }),
  program('#!/bin/sh', '\n#!/bin/sh', /#!/, /first line/, { at: '' }),
  program('#!/bin/sh', '#/bin/sh', /#!/, /#!\/bin\/sh/),
  program('#!/bin/sh', '\ufeff#!/bin/sh', /byte order mark/, /without/),
  program(/\n/g, '\r\n', /Windows/, /line ends|line endings|carriage/, { at: '#!/bin/sh' }),
  program('  unbind)', '  unbnid)', /"unbnid"/, /Write "unbind"/),
  program('  deprovision)', '  deprovison)', /"deprovison"/, /Write "deprovision"/),
  program('  metadata)', '  meta)', /metadata/, /metadata\)/, { at: 'case "$1"' }),
  program(/ {2}unbind\)\n.*\n.*\n/, '', /unbind/, /unbind\)/, { at: 'case "$1"' }),
  program('case "$1"', 'case "$2"', /\$2/, /\$1/),
  program('"$INPUTS")', '"$INPUT")', /\$INPUT\b/, /\$INPUTS/),
  program('> "$OUTPUTS/', '> "$OUTPUT/', /\$OUTPUT\b/, /\$OUTPUTS/),
  program('echo "$label" > "$CREDSTORE/', 'echo "$label" > "$CRED_STORE/', /\$CRED_STORE/, /\$CREDSTORE/),
  program(
    '$(cat "$CREDSTORE/label")"\n    echo "pass',
    '$(value label "$INPUTS")"\n    echo "pass',
    /\$INPUTS/,
    /\$CREDSTORE/,
  ),
  program('label "$BINDING"', 'label "$INPUTS"', /\$INPUTS/, /\$CREDSTORE|\$BINDING/),
  program(
    '    echo "password: $(random)"',
    '    random > "$CREDSTORE/user"',
    /read.only/,
    /[Pp]rint|provision/,
  ),
  program(
    '    echo "removing $(cat',
    '    echo "removing" > "$OUTPUTS/x"; echo "$(cat',
    /\$OUTPUTS/,
    /provision/,
  ),
  program(
    '    echo "label: $(cat "$CREDSTORE/label")"',
    '    echo "label: $(value label "$BINDING")"',
    /\$BINDING/,
    /unbind/,
  ),
  program('cat /metadata.yml', 'cat /metadata.yaml', /\/metadata\.yaml/, /\/metadata\.yml/),
  program('cat /metadata.yml', 'cat metdata.yml', /metdata\.yml/, /metadata\.yml/),
  program('cat /metadata.yml', 'cat /metadata.yml >&2', /standard error|prints nothing/, /standard output/),
  program(
    'cat /metadata.yml',
    'echo "about to start"; cat /metadata.yml',
    /standard output|line 1/,
    /standard error/,
  ),
]

const building: readonly Row[] = [
  image('entrypoint: [/pattern]', 'entrypiont: [/pattern]', /"entrypiont"|entrypiont/, /Write "entrypoint"/),
  image('entrypoint: [/pattern]', 'command: [/pattern]', /entrypoint/, /Write "entrypoint"/, {
    at: 'command:',
  }),
  image('entrypoint: [/pattern]\n', '', /entrypoint/, /Add "entrypoint: /, { at: 'root: root' }),
  image('entrypoint: [/pattern]', 'entrypoint: /pattern', /entrypoint/, /\[\/pattern\]/),
  image('entrypoint: [/pattern]', 'entrypoint: []', /entrypoint/, /\[\/pattern\]/),
  image('[/pattern]', '[/patern]', /\/patern/, /\/pattern/),
  image('[/pattern]', '[pattern]', /pattern/, /\/pattern/),
  image('[/pattern]', '[/root/pattern]', /\/root\/pattern/, /\/pattern/),
  image('[/pattern]', '[/metadata.yml]', /\/metadata\.yml/, /executable|program/),
  image('[/pattern]', '[/bin/sh, -c, /pattern]', /sh -c/, /\[\/pattern\]|\["\/pattern"\]/),
  image('[/pattern]', '[/pattern, metadata]', /metadata/, /operation/),
  image('environment:', 'env:', /"env"|env/, /Write "environment"/),
  image('environment:', 'enviroment:', /enviroment/, /Write "environment"/),
  image('environment:\n  PATH: /bin\n  LANG: C', 'environment: [PATH=/bin, LANG=C]', /environment/, /map/),
  image('LANG: C', 'DEBUG: 1', /DEBUG/, /quotation marks/),
  image('LANG: C', 'DEBUG: true', /DEBUG/, /quotation marks/),
  image('LANG: C', 'HOME: /root', /HOME/, /Remove|contract/),
  image('LANG: C', 'CREDSTORE: /data', /CREDSTORE/, /Remove|contract/),
  image('PATH: /bin', 'PATH: /usr/bin', /PATH/, /\/bin/),
  image('root: root', 'root: rooot', /rooot/, /root/),
  image('root: root', 'rot: root', /rot/, /Write "root"/),
  image('root: root', 'root: [root]', /root/, /text/),
  image('user: "1000"', 'user: 1000', /user/, /quotation marks/),
  image('workingFolder: /', 'workdir: /', /workdir/, /Write "workingFolder"/),
  image('workingFolder: /', 'workingfolder: /', /workingfolder/, /Write "workingFolder"/),
  image('workingFolder: /', 'workingFolder: app', /app/, /\/app/),
  image('tools: [sh, cat, od, tr, sed]', 'tools: sh', /tools/, /list/),
  image('tools: [sh, cat, od, tr, sed]', 'tool: [sh, cat, od, tr, sed]', /tool/, /Write "tools"/),
  image('tools: [sh,', 'tools: [sh, catt,', /catt/, /"cat"|[Ii]nstall/),
  image('tools: [sh, ', 'tools: [', /\/bin\/sh/, /sh.*tools|tools.*sh/),
  image('labels: {org', 'lables: {org', /lables/, /Write "labels"/),
  image('labels: {org.opencontainers.image.title: Queue}', 'labels: [Queue]', /labels/, /map/),
  image('  LANG: C', '\tLANG: C', /./, /blanks instead of tabs/),
  image(
    'labels: {org.opencontainers.image.title: Queue}',
    'labels: {title: Queue',
    /./,
    /Close the bracket/,
    { at: 'user:' },
  ),
  image('tools: [', 'root: other\ntools: [', /unique/, /Remove one/),
  image('tools: [sh, cat, od, tr, sed]', 'base: busybox:1.36', /busybox/, /docker:\/\//),
]

const publishing: readonly Row[] = [
  container('ENTRYPOINT ["/pattern"]', 'ENTRYPOINT /pattern', /shell/, /\["\/pattern"\]/),
  container('ENTRYPOINT ["/pattern"]', "ENTRYPOINT ['/pattern']", /JSON|quot|shell/, /\["\/pattern"\]/),
  container('ENTRYPOINT ["/pattern"]', 'ENTRYPOINT ["/pattern",]', /JSON|shell/, /\["\/pattern"\]/),
  container(
    'ENTRYPOINT ["/pattern"]',
    'CMD ["/pattern"]',
    /ENTRYPOINT/,
    /ENTRYPOINT instead of CMD|Write ENTRYPOINT/,
  ),
  container('ENTRYPOINT ["/pattern"]\n', '', /ENTRYPOINT/, /Add ENTRYPOINT/, { at: 'FROM' }),
  container('["/pattern"]', '["/patern"]', /\/patern/, /\/pattern/),
  container('ENTRYPOINT', 'ENTRYPONT', /ENTRYPONT/, /Write ENTRYPOINT/),
  container('FROM', 'FORM', /FORM/, /Write FROM/),
  container('COPY root /', 'COPY rooot /', /rooot/, /root/),
  container('COPY root /', 'COPY ../root /', /\.\.\/root/, /folder/),
  container('COPY root /', 'COPY root /tweed', /\/tweed/, /COPY root \/|reserved|elsewhere/),
]

const trying: readonly Row[] = [
  examples('examples:', 'exampels:', /exampels/, /Write "examples"/),
  examples('  - name: named\n    parameters', '  - parameters', /name/, /Add "name/),
  examples(
    '    parameters: {contact: ada@example.com}\n',
    '    parameter: {contact: ada@example.com}\n',
    /parameter/,
    /Write "parameters"/,
  ),
  examples('label: letters', 'lable: letters', /lable/, /"label"/),
  examples('label: letters', 'zone: a', /zone/, /label, count|inputs/),
  examples('count: 2', 'count: two', /count/, /integer|schema/),
  examples('count: 2', 'count: 12', /count/, /schema|9/),
  examples(
    '    parameters: {contact: ada@example.com}\n',
    '    parameters: {}\n',
    /contact/,
    /Add "contact|contact: /,
  ),
  examples('plan: default', 'plan: small', /small/, /default/),
  examples('    plan: default', '    bindParameters: {role: reader}', /bind/, /[Rr]emove|without/),
  examples('fails: provision', 'fails: provison', /provison|fails/, /"provision"/),
  examples('fails: provision', 'fail: provision', /fail/, /Write "fails"/),
  examples('because: label', 'becuase: label', /becuase/, /Write "because"/),
  examples(
    'credentials:\n        password',
    'credential:\n        password',
    /credential/,
    /Write "credentials"/,
  ),
  examples('/^[0-9a-f]+$/', '/^[0-9a-f+$/', /pattern/, /regular expression|pattern/),
  examples('name: named', 'name: defaults', /defaults/, /own/),
]

export const mistakes: readonly Row[] = [
  ...[...unreadable, ...identity, ...describing, ...icon, ...files, ...inputs],
  ...[...running, ...building, ...publishing, ...trying],
]
