/** More than a hundred mistakes that authors of TOI packages make, each planted in sources that have none. */
import { type Planted, plantedIn } from '../support/planted.ts'

/** Sources without a mistake: nothing is said of them. */
export const wellMade = {
  'component-constructor.yaml': `components:
  - name: example.org/tools
    version: 1.0.0
    provider:
      name: example.org
    resources:
      - name: executor
        type: toiExecutor
        input:
          type: file
          path: executor.yaml
      - name: image
        type: ociImage
        input:
          type: ociArtifact
          path: "oci:\${LAYOUT}:image"
  - name: example.org/queue
    version: 1.2.3
    provider:
      name: example.org
    resources:
      - name: package
        type: toiPackage
        input:
          type: file
          path: package.yaml
      - name: defaults
        type: yaml
        input: {type: file, path: defaults.yaml}
      - name: example
        type: yaml
        input: {type: file, path: example.yaml}
      - name: checker
        type: ociImage
        extraIdentity:
          platform: linux
        input: {type: ociArtifact, path: "oci:\${LAYOUT}:image"}
    references:
      - name: tools
        componentName: example.org/tools
        version: 1.0.0
`,
  'package.yaml': `description: A queue for applications.
executors:
  - actions: [install, update, uninstall]
    resourceRef:
      resource:
        name: executor
      referencePath:
        - name: tools
    config:
      level: info
    parameterMapping:
      queue: (( settings.name ))
      places: (( settings.size * 10 ))
      user: (( getCredentials("account", "user") ))
      settings: (( &temporary(merge) ))
    credentialMapping:
      admin: account
    outputs:
      address: address
      secrets/password: password
  - actions: [check]
    resourceRef:
      resource:
        name: checker
        platform: linux
    parameterMapping:
      user: (( hasCredentials("admin") ? getCredentials("admin", "user") :"nobody" ))
configTemplate:
  settings:
    name: queue
    size: 3
    label: (( settings.name "-" defaults.zone ))
  defaults: (( &temporary(merge) ))
configScheme:
  type: object
  additionalProperties: false
  properties:
    settings:
      type: object
      additionalProperties: false
      required: [name]
      properties:
        name:
          type: string
          minLength: 3
          pattern: "^[a-z]+$"
        size:
          type: integer
          minimum: 1
          maximum: 9
          default: 3
        mode:
          type: string
          enum: [memory, disk]
          default: disk
templateLibraries:
  - resource:
      name: defaults
credentials:
  admin:
    description: The account of the operator.
    consumerId:
      type: Queue
      hostname: queue.example.org
    properties: # of the account
      user: Its name.
      password: Its password.
  audit:
    description: Where to log.
    properties:
      url: Its address.
    optional: true
additionalResources:
  configFile:
    resource:
      name: example
  credentialsFile:
    content:
      credentials:
        admin:
          credentials:
            user: ada
            password: secret
`,
  'executor.yaml': `actions: [install, update, uninstall]
imageRef:
  resource:
    name: image
configTemplate:
  level: warn
  verbose: (( level == "debug" ))
configScheme:
  type: object
  additionalProperties: false
  properties:
    level:
      type: string
      enum: [debug, info, warn]
credentials:
  account:
    description: The account.
    consumerId:
      type: Queue
      hostname: queue.example.org
    properties:
      user: Its name.
      password: Its password.
outputs:
  address:
    description: Where the queue is.
  secrets/password:
    description: How to get in.
`,
  'defaults.yaml': `defaults:
  zone: north
  limit: (( 3 * 4 ))
`,
  'example.yaml': `settings:
  name: orders
  size: 5
`,
  'image/image.yml': `entrypoint: [/toi/run]
environment: {PATH: /bin}
`,
  'image/root/toi/run': '#!/bin/sh\n',
} as const

const inPackage = plantedIn<string>('package.yaml')
const inExecutor = plantedIn<string>('executor.yaml')
const inConstructor = plantedIn<string>('component-constructor.yaml')
const inLibrary = plantedIn<string>('defaults.yaml')
const inExample = plantedIn<string>('example.yaml')
const inImage = plantedIn<string>('image/image.yml')

type In = typeof inPackage

/** A key that is written otherwise; a pattern finds it below another one. */
const misspelt = (here: In, right: string, wrong: string, within?: RegExp): Planted =>
  here(
    within ?? new RegExp(`^( *(?:- )?)${right}:`, 'm'),
    `$1${wrong}:`,
    new RegExp(`did you mean "${right}"`),
    new RegExp(`Write "${right}"`),
  )

const below = (parent: string, key: string): RegExp => new RegExp(`(${parent}:[\\s\\S]*?)\\b${key}:`)

/** What other ways to name an image, and other expressions, are written in place of. */
const checkerRef = /resourceRef:\n {6}resource:\n {8}name: checker\n {8}platform: linux/
const label = 'label: (( settings.name "-" defaults.zone ))'

const texts = /list of texts/
const aList = /Write a list/
const aMap = /Write a map/
const quoted = /quotation marks/

const keys: readonly Planted[] = [
  misspelt(inPackage, 'description', 'descripton'),
  misspelt(inPackage, 'executors', 'executers'),
  misspelt(inPackage, 'actions', 'action'),
  misspelt(inPackage, 'resourceRef', 'ressourceRef'),
  misspelt(inPackage, 'referencePath', 'refrencePath'),
  inPackage('      referencePath:', '      resourcePath:', /resourcePath/, /Call it referencePath/),
  misspelt(inPackage, 'config', 'confg', /^( {4})config:/m),
  misspelt(inPackage, 'parameterMapping', 'parametersMapping'),
  misspelt(inPackage, 'credentialMapping', 'credentialsMapping'),
  misspelt(inPackage, 'outputs', 'output'),
  misspelt(inPackage, 'configTemplate', 'configTemplat'),
  misspelt(inPackage, 'configScheme', 'configSchema'),
  misspelt(inPackage, 'templateLibraries', 'templateLibrarys'),
  misspelt(inPackage, 'credentials', 'credential', /^()credentials:/m),
  misspelt(inPackage, 'consumerId', 'consumerIdentity'),
  misspelt(inPackage, 'properties', 'property', below('hostname', 'properties')),
  misspelt(inPackage, 'optional', 'optionl'),
  inPackage('    optional: true', '    required: false', /required: is not known/, /optional/),
  misspelt(inPackage, 'additionalResources', 'additionalResource'),
  misspelt(inPackage, 'configFile', 'configfile'),
  misspelt(inPackage, 'credentialsFile', 'credentialFile'),
  inPackage('    content:', '    contents:', /contents/, /Write "content"/),
  inPackage('    resourceRef:', '    imageResourceRef:', /resourceRef now/, /Write "resourceRef"/),
  misspelt(inPackage, 'resource', 'ressource', /^( {6})resource:/m),
  misspelt(inExecutor, 'imageRef', 'imageReference'),
  misspelt(inExecutor, 'actions', 'acttions'),
  misspelt(inExecutor, 'configScheme', 'configSchema'),
  misspelt(inExecutor, 'configTemplate', 'configTempalte'),
  misspelt(inExecutor, 'credentials', 'credentails'),
  misspelt(inExecutor, 'outputs', 'output'),
  misspelt(inExecutor, 'consumerId', 'consumerID_'),
  misspelt(inExecutor, 'description', 'desc', below('address', 'description')),
]

const shapes: readonly Planted[] = [
  inPackage('A queue for applications.', '[queue]', /must be a text/, quoted),
  inPackage('A queue for applications.', '7', /must be a text/, quoted),
  inPackage(
    /executors:[\s\S]*?configTemplate/,
    'executors: {actions: [install]}\nconfigTemplate',
    /list of maps/,
    aList,
    { at: 'executors:' },
  ),
  inPackage(
    /executors:[\s\S]*?configTemplate/,
    'executors: []\nconfigTemplate',
    /no executor/,
    /Add an entry/,
  ),
  inPackage(/executors:[\s\S]*?configTemplate/, 'configTemplate', /no executor/, /Add an entry/, {
    at: 'description: A queue',
  }),
  inPackage('[install, update, uninstall]', 'install', texts, aList),
  inPackage('[install, update, uninstall]', '[install, update, uninstall, 7]', texts, aList),
  inPackage('[check]', '[on]', texts, /quot/),
  inPackage('[check]', '{check: true}', texts, aList),
  inPackage(
    /resourceRef:\n {6}resource:\n {8}name: executor\n {6}referencePath:\n {8}- name: tools/,
    'resourceRef:\n      - resource: {name: executor}\n        referencePath: [{name: tools}]',
    /must be a map/,
    aMap,
    { at: 'resourceRef:' },
  ),
  inPackage(
    /resource:\n {8}name: executor/,
    'resource: executor',
    /must be a map of texts/,
    /name: executor/,
    { at: 'resource: executor' },
  ),
  inPackage('        - name: tools', '        - tools', /list of maps/, /- name: tools/, {
    at: 'referencePath',
  }),
  inPackage(
    /referencePath:\n {8}- name: tools/,
    'referencePath: {name: tools}',
    /list of maps/,
    /- name: tools|Write a list/,
    { at: 'referencePath' },
  ),
  inPackage(
    /outputs:\n {6}address: address\n {6}secrets\/password: password/,
    'outputs: [address, secrets/password]',
    /map of texts/,
    aMap,
    { at: 'outputs: [' },
  ),
  inPackage('address: address', 'address:', /must be a text/, quoted, { at: 'address:' }),
  inPackage('address: address', 'address: 5', /must be a text/, quoted),
  inPackage(/credentialMapping:\n {6}admin: account/, 'credentialMapping: [admin]', /map of texts/, aMap, {
    at: 'credentialMapping',
  }),
  inPackage('admin: account', 'admin: {name: account}', /must be a text/, quoted),
  inPackage(
    /configScheme:[\s\S]*?templateLibraries/,
    'configScheme: object\ntemplateLibraries',
    /must be a map/,
    aMap,
  ),
  inPackage(
    /templateLibraries:\n {2}- resource:\n {6}name: defaults/,
    'templateLibraries: [defaults]',
    /list of maps/,
    /- resource: {name: defaults}|Write a list/,
    { at: 'templateLibraries' },
  ),
  inPackage(
    /templateLibraries:\n {2}- resource:\n {6}name: defaults/,
    'templateLibraries:\n  - name: defaults',
    /resource/,
    /resource: {name: defaults}|Write resource/,
    { at: '  - name: defaults' },
  ),
  inPackage(/(properties:\n {6}url): Its address\./, '$1: {text: Its address.}', /must be a text/, quoted),
  inPackage(/properties:\n {6}url: Its address\./, 'properties: [url]', /map of texts/, aMap, {
    at: 'properties: [url]',
  }),
  inPackage('optional: true', 'optional: "true"', /true or false/, /without quotation marks/),
  inPackage('optional: true', 'optional: maybe', /true or false/, /true or false/),
  inPackage(/consumerId:\n {6}type: Queue\n {6}hostname: .*/, 'consumerId: Queue', /map of texts/, aMap, {
    at: 'consumerId: Queue',
  }),
  inPackage('hostname: queue.example.org', 'port: 443', /must be a text/, quoted),
  inPackage('        name: executor', '        name: 7', /must be a text/, quoted),
  inPackage(/configFile:\n {4}resource:\n {6}name: example/, 'configFile: example', /must be a map/, aMap, {
    at: 'configFile',
  }),
  inExecutor('[install, update, uninstall]', 'install', texts, aList),
  inExecutor(/imageRef:\n {2}resource:\n {4}name: image/, 'imageRef: image', /must be a map/, aMap, {
    at: 'imageRef',
  }),
  inExecutor(/outputs:[\s\S]*$/, 'outputs: [address, secrets/password]\n', /must be a map/, aMap, {
    at: 'outputs',
  }),
]

const actions: readonly Planted[] = [
  inPackage(
    '[install, update, uninstall]',
    '[install, install, update, uninstall]',
    /install.* twice/,
    /once/,
  ),
  inPackage('[check]', '[update]', /update/, /in the order|take the action out/),
  inPackage('[check]', '[]', /no action/, /Name|Take/),
  inPackage(
    '  - actions: [install, update, uninstall]\n    resourceRef',
    '  - resourceRef',
    /check/,
    /never|order/i,
    {
      at: '  - actions: [check]',
    },
  ),
  inPackage('[install, update, uninstall]', '[instal, update, uninstall]', /instal\b/, /"install"/),
  inPackage('[install, update, uninstall]', '[install, update, unistall]', /unistall/, /"uninstall"/),
  inPackage('[install, update, uninstall]', '[install, update]', /uninstall/, /uninstall/),
  inExecutor('[install, update, uninstall]', '[install, uninstall]', /update/, /update/, {
    told: 'package.yaml',
    at: 'actions: [install, update',
  }),
  inPackage('[install, update, uninstall]', '[install, "", uninstall]', /name of an action/, /Name/),
]

const references: readonly Planted[] = [
  inPackage('        name: executor', '        name: excutor', /name=excutor/, /"executor"/),
  inPackage('        name: executor', '        name: helper', /name=helper/, /executor|image/),
  inPackage('- name: tools', '- name: tool', /name=tool\b/, /"tools"/),
  inPackage(/ {6}referencePath:\n {8}- name: tools\n/, '', /name=executor/, /tools/, {
    at: 'name: executor',
  }),
  inPackage(/ {4}resourceRef:\n.*\n.*\n.*\n.*\n/, '', /resource reference required/, /Add "?resourceRef/, {
    at: '  - actions: [install',
  }),
  inPackage('        platform: linux\n', '', /name=checker/, /platform/, { at: 'name: checker' }),
  inPackage('        platform: linux', '        platform: linuks', /platform=linuks/, /linux/),
  inPackage('        name: checker\n', '        name: defaults\n', /name=defaults/, /\{name: defaults\}/, {
    at: '        platform: linux',
  }),
  inPackage(
    '        name: checker\n        platform: linux',
    '        name: package',
    /toiPackage/,
    /ociImage/,
    {
      at: 'name: package',
    },
  ),
  inPackage('        name: checker\n', '', /resource name must be specified/, /name/, {
    at: '      resource:',
    last: true,
  }),
  inPackage('      name: defaults', '      name: default', /name=default\b/, /"defaults"/),
  inPackage('      name: example', '      name: exampel', /name=exampel/, /"example"/),
  inPackage('      name: example', '      name: checker', /yaml/, /type yaml|"example"/),
  inPackage(checkerRef, 'image:\n      reference: example.org/checker:1', /ref/, /Write "ref"/, {
    at: 'reference: example',
  }),
  inPackage(checkerRef, 'image: example.org/checker:1', /must be a map/, aMap, { at: 'image: example' }),
  inPackage(checkerRef, 'image: {ref: "Example.org/Checker:1:2"}', /Checker/, /HOST\/REPOSITORY/, {
    at: 'image: {ref',
  }),
  inPackage(
    checkerRef,
    'image:\n      ref: example.org/checker\n      digest: sha256:abc',
    /digest/,
    /sha256/,
    { at: '    image:' },
  ),
  inExecutor('    name: image', '    name: imge', /name=imge/, /"image"/),
  inExecutor('    name: image', '    name: executor', /toiExecutor/, /ociImage|"image"/),
  inExecutor(/imageRef:\n.*\n.*\n/, '', /image reference required/, /Add "?imageRef/, { at: 'actions' }),
  inExecutor('    name: image', '    name: image\n    version: 9.9.9', /version=9\.9\.9/, /\{name: image\}/, {
    at: 'version: 9.9.9',
  }),
]

const templates: readonly Planted[] = [
  inPackage('(( settings.name ))', '(( setings.name ))', /setings/, /settings/),
  inPackage('(( settings.name ))', '(( settings.name )', /\(\(/, /\)\)/),
  inPackage('(( settings.name ))', '( settings.name ))', /\(\(|\)\)/, /\(\(/),
  inPackage('settings.size * 10', 'settings.size * ', /./, /expression/),
  inPackage('settings.size * 10', '(settings.size * 10', /./, /expression/),
  inPackage('"account", "user"', '"account, "user"', /./, /quot|expression/),
  inPackage('getCredentials("account"', 'getCredential("account"', /getCredential\b/, /getCredentials/),
  inPackage('getCredentials("account"', 'getCredentials("acount"', /acount/, /"account"/),
  inPackage('getCredentials("account"', 'getCredentials("admin"', /admin/, /"account"/),
  inPackage('"account", "user"', '"account", "usr"', /usr/, /"user"/),
  inPackage('"account", "user"', '"account", "user", "x"', /argument/, /name and/),
  inPackage('hasCredentials("admin")', 'hasCredentials("admn")', /admn/, /"admin"/),
  inPackage(
    'getCredentials("admin", "user")',
    'getCredentials("admin", "username")',
    /username/,
    /password, user/,
  ),
  inPackage('settings: (( &temporary', 'settings: (( &temporay', /temporay/, /&temporary/),
  inPackage('settings: (( &temporary(merge)', 'settings: (( &temporary(mrge)', /mrge/, /merge/),
  inPackage('(( settings.name ))', '" (( settings.name ))"', /blanks/, /blank/),
  inPackage('defaults.zone ))', 'default.zone ))', /'default'/, /defaults/),
  inPackage(label, 'label: (( read("/etc/zone") ))', /read/, /parameter/),
  inPackage(label, 'label: (( exec("date") ))', /exec/, /executor|parameter/),
  inPackage(label, 'label: (( env("ZONE") ))', /env/, /parameter/),
  inPackage(label, 'label: (( getCredentials("admin", "user") ))', /getCredentials/, /parameterMapping/),
  inPackage('(( settings.name "-" defaults.zone ))', '(( joni("-", settings.name) ))', /joni/, /join/),
  inPackage('      level: info', '      level: (( levl ))', /levl/, /level|Define/),
  inPackage('      level: info', '      level: inf', /level/, /"info"|debug/),
  inPackage('      level: info', '      levle: info', /levle/, /"level"/),
  inPackage('      level: info', '      level: 7', /level/, /one of debug, info, warn/),
  inExecutor('(( level == "debug" ))', '(( levl == "debug" ))', /levl/, /level/),
  inExecutor('(( level == "debug" ))', '(( level == "debug ))', /./, /quot|expression/),
  inExecutor('(( level == "debug" ))', '(( lenght(level) ))', /lenght/, /length/),
  inLibrary('(( 3 * 4 ))', '(( 3 * ))', /./, /expression/),
  inLibrary('(( 3 * 4 ))', '(( lenght([3]) ))', /lenght/, /length/),
]

const schemes: readonly Planted[] = [
  inPackage('type: integer', 'type: int', /type/, /"integer"/),
  inPackage('type: integer', 'type: Integer', /type/, /"integer"/),
  inPackage(
    '          type: string\n          minLength',
    '          type: text\n          minLength',
    /type/,
    /string/,
  ),
  misspelt(inPackage, 'minLength', 'minlength'),
  misspelt(inPackage, 'pattern', 'patern'),
  misspelt(inPackage, 'maximum', 'max'),
  misspelt(inPackage, 'default', 'defualt'),
  misspelt(inPackage, 'properties', 'propertys', below('configScheme', 'properties')),
  misspelt(inPackage, 'additionalProperties', 'additionalProperty'),
  misspelt(inPackage, 'required', 'requred'),
  misspelt(inPackage, 'enum', 'enums'),
  inPackage('minimum: 1', 'minimum: "1"', /minimum/, /number/),
  inPackage('minimum: 1', 'minimum: 10', /minimum|maximum/, /minimum|maximum/),
  inPackage('minLength: 3', 'minLength: -3', /minLength/, /number|0/),
  inPackage('enum: [memory, disk]', 'enum: memory', /enum/, /list/),
  inPackage('enum: [memory, disk]', 'enum: []', /enum/, /value/),
  inPackage('required: [name]', 'required: true', /required/, /list/),
  inPackage('required: [name]', 'required: [nam]', /nam\b/, /"name"/),
  inPackage('pattern: "^[a-z]+$"', 'pattern: "^[a-z+$"', /pattern/, /expression|bracket/),
  inPackage('default: disk', 'default: disc', /default/, /"disk"/),
  inPackage('default: 3', 'default: "3"', /default/, /default/),
  inPackage('default: 3', 'default: 30', /default/, /default/),
  inPackage(
    '  additionalProperties: false\n  properties',
    '  additionalProperties: "no"\n  properties',
    /additionalProperties/,
    /true or false|schema/,
  ),
  inExecutor('enum: [debug, info, warn]', 'enum: debug', /enum/, /list/),
  inExecutor('      type: string', '      type: strng', /type/, /"string"/),
  inExample('name: orders', 'name: or', /name/, /example|scheme/i),
  inExample('size: 5', 'sise: 5', /sise/, /"size"/),
  inExample('size: 5', 'size: "5"', /size/, /without quotation marks: size: 5/),
]

const credentials: readonly Planted[] = [
  inPackage('      admin: account', '      admin: acount', /acount|account/, /"account"/),
  inPackage('      admin: account', '      admn: account', /admn/, /"admin"/),
  inPackage('hostname: queue.example.org', 'hostname: queue.example.com', /consumer id/, /consumerId/, {
    at: '  admin:\n',
  }),
  inPackage('      password: Its password.\n', '', /"password" not declared/, /password/, {
    at: '# of the account',
  }),
  inPackage('      type: Queue\n', '', /type/, /type/, { at: 'consumerId' }),
  inPackage(
    '      password: Its password.\n',
    '      password: Its password.\n    optional: true\n',
    /optional/,
    /optional/,
    {
      at: '    optional: true',
    },
  ),
  inPackage(
    '        admin:\n          credentials',
    '        admim:\n          credentials',
    /admim/,
    /"admin"/,
  ),
  inPackage('            user: ada', '            usr: ada', /usr/, /"user"/),
  inPackage('            user: ada', '            user: 7', /user/, quoted),
  inExecutor('  account:', '  acount:', /acount/, /"acount"/, {
    told: 'package.yaml',
    at: 'admin: account',
  }),
  inExecutor('      user: Its name.', '      username: Its name.', /username/, /username|"user"/, {
    told: 'package.yaml',
    at: '# of the account',
  }),
]

const outputs: readonly Planted[] = [
  inPackage('secrets/password: password', '../password: password', /below the outputs folder/, /path/),
  inPackage(
    'secrets/password: password',
    '/toi/outputs/secrets/password: password',
    /below the outputs folder/,
    /secrets\/password/,
  ),
  inPackage('secrets/password: password', 'secrets/password: my password', /is no name/, /letters/),
  inPackage('secrets/password: password', 'secrets/password: address', /address/, /of its own/),
  inPackage('      address: address', '      adress: address', /adress/, /"address"/),
  inPackage('secrets/password: password', 'password: password', /password/, /secrets\/password|outputs/),
  inPackage('secrets/password: password', 'logs: logs', /logs/, /outputs/),
  inExecutor('  secrets/password:', '  secrets/passwort:', /secrets\/password/, /secrets\/passwort/, {
    told: 'package.yaml',
    at: 'secrets/password',
  }),
]

const construction: readonly Planted[] = [
  misspelt(inConstructor, 'components', 'component'),
  misspelt(inConstructor, 'version', 'verison'),
  misspelt(inConstructor, 'provider', 'providor'),
  misspelt(inConstructor, 'resources', 'ressources'),
  misspelt(inConstructor, 'type', 'typ'),
  misspelt(inConstructor, 'input', 'inputs'),
  misspelt(inConstructor, 'path', 'paht'),
  misspelt(inConstructor, 'extraIdentity', 'extraIdentities'),
  misspelt(inConstructor, 'references', 'reference'),
  misspelt(inConstructor, 'componentName', 'component'),
  inConstructor('name: example.org/queue', 'name: queue', /"queue"/, /DNS|example\.org\/queue/),
  inConstructor('name: example.org/queue', 'name: Example.org/Queue', /Queue/, /small|lower/i),
  inConstructor('version: 1.2.3', 'version: latest', /latest/, /1\.2\.3|1\.0\.0/),
  inConstructor('version: 1.2.3', 'version: 1.2', /version/, quoted),
  inConstructor('    version: 1.2.3\n', '', /version is required/, /version/, {
    at: 'name: example.org/queue',
  }),
  inConstructor(/ {4}provider:\n {6}name: example.org\n/, '', /provider is required/, /provider/, {
    at: '- name: example.org/tools',
  }),
  inConstructor(
    /provider:\n {6}name: example.org/,
    'provider: example.org',
    /provider must be a map/,
    /name: example\.org/,
    {
      at: 'provider: example.org',
    },
  ),
  inConstructor('type: toiPackage', 'type: toiPackge', /toiPackge/, /"toiPackage"/),
  inConstructor('type: toiExecutor', 'type: toiExecuter', /toiExecuter/, /"toiExecutor"/, {
    told: 'package.yaml',
    at: 'name: executor',
  }),
  inConstructor('type: ociImage', 'type: dockerImage', /dockerImage/, /ociImage/, {
    told: 'executor.yaml',
    at: 'name: image',
  }),
  inConstructor('- name: checker', '- name: Checker', /Checker/, /small|lower/i),
  inConstructor('- name: example\n', '- name: defaults\n', /duplicate resource/, /name/),
  inConstructor('path: package.yaml', 'path: pakage.yaml', /pakage\.yaml/, /"package\.yaml"/),
  inConstructor('path: executor.yaml', 'path: toi/executor.yaml', /executor\.yaml/, /executor\.yaml|folder/),
  inConstructor(
    'type: file\n          path: package',
    'type: flie\n          path: package',
    /flie/,
    /"file"/,
  ),
  inConstructor(
    / {8}input:\n {10}type: file\n {10}path: package.yaml\n/,
    '',
    /exactly one of input and access/,
    /input/,
    {
      at: '- name: package',
    },
  ),
  inConstructor('          path: package.yaml\n', '', /path/, /path/, {
    at: '          type: file',
    last: true,
  }),
  inConstructor(/(componentName: example.org\/tool)s/, '$1', /example\.org\/tool\b/, /"example\.org\/tools"/),
  inConstructor(/(componentName: example.org\/tools\n {8}version:) 1.0.0/, '$1 1.0.1', /1\.0\.1/, /1\.0\.0/),
  inConstructor(
    /(componentName: example.org\/tools)\n {8}version: 1.0.0/,
    '$1',
    /version is required/,
    /version/,
    {
      at: '- name: tools',
    },
  ),
  inConstructor(
    '- name: tools\n        componentName: example.org/tools\n',
    '- name: tools\n',
    /componentName is required/,
    /componentName/,
    {
      at: '- name: tools',
    },
  ),
  inConstructor(
    '        type: toiPackage\n',
    '        type: toiPackage\n        relation: internal\n',
    /local or external/,
    /local/,
    {},
  ),
  inConstructor(
    '        type: toiPackage\n',
    '        type: toiPackage\n        relation: external\n',
    /is local/,
    /local/,
    {},
  ),
  inConstructor('"oci:${LAYOUT}:image"\n  -', '"oci:${LAYOUT}:imgae"\n  -', /imgae/, /the tag/),
  inConstructor('          platform: linux', '          name: linux', /extra identity/, /name/),
  inImage('entrypoint:', 'entypoint:', /entypoint/, /"entrypoint"/),
  inImage('[/toi/run]', '/toi/run', /array|list/, /list/),
]

const yaml: readonly Planted[] = [
  inPackage('    config:\n      level: info', '    config:\n\tlevel: info', /[Tt]ab/, /blanks/, {
    at: '\tlevel',
  }),
  inPackage(
    'description: A queue for applications.',
    'description: A queue: for applications.',
    /./,
    /Quote/,
  ),
  inPackage(
    'description: A queue for applications.',
    'description: "A queue for applications.',
    /quote|closing/i,
    /quote/,
    {
      at: 'unreached',
    },
  ),
  inPackage('[install, update, uninstall]', '[install, update, uninstall', /./, /bracket/, {
    at: 'unreached',
  }),
  inPackage('    credentialMapping:', '   credentialMapping:', /./, /[Ii]ndent/, {}),
  inPackage('configTemplate:', 'configTemplate:\n  a: 1\nconfigTemplate:', /unique|already/, /Remove one/, {
    at: 'configTemplate:',
    last: true,
  }),
  inPackage('        name: checker\n', '        name: *checker\n', /alias|anchor/i, /Quote|anchor/),
  inPackage('description: A queue for applications.\n', 'description: A queue.\n---\n', /document/, /---/, {
    at: '---',
  }),
  inPackage('    outputs:', '    outputs:\n      yes: answer', /key/, /quot/i, { at: 'yes: answer' }),
  inPackage('name: tools', 'name:tools', /./, /blank|- name: tools/i, { at: 'referencePath' }),
  inExecutor('imageRef:', 'imageRef', /./, /colon|blank|[Ii]ndent/i, { at: 'unreached' }),
  inExecutor('actions: [install', '- actions: [install', /./, /[Ii]ndent|list/, { at: 'unreached' }),
  inLibrary('  zone: north', '  zone: north: south', /./, /Quote/),
  inExample('  size: 5', '   size: 5', /./, /[Ii]ndent|colon/, { at: 'name: orders' }),
  inConstructor('      - name: checker', '     - name: checker', /./, /[Ii]ndent|list/, {}),
  inConstructor('  - name: example.org/queue', '  - name: example.org/queue: x', /./, /Quote/),
]

export const mistakes: readonly Planted[] = [
  ...keys,
  ...shapes,
  ...actions,
  ...references,
  ...templates,
  ...schemes,
  ...credentials,
  ...outputs,
  ...construction,
  ...yaml,
]
