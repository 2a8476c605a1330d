/** What a bundle may leave at its end to do harm: credentials, state, notes and messages. Clear errors, nothing leaked, nothing left. */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { offering, Platform } from '../cnab/platform.ts'
import type { TestBroker } from '../support/broker.ts'
import { ensurePrograms } from '../support/debian.ts'
import { freshFolder } from '../support/image.ts'
import { bundleImage } from './image.ts'
import { specOf } from './spec.ts'

const missing = ensurePrograms('busybox', 'curl')

const spec = specOf('leaving-apb', {
  parameters: [
    '{name: mode, type: string, default: fine}',
    '{name: password, type: string, display_type: password, default: public}',
    '{name: namespace, type: string, default: kube-system}',
    '{name: _apb_plan_id, type: string, default: forged}',
  ],
  bindParameters: ['{name: _apb_service_instance_id, type: string, default: forged}'],
})

const entrypoint = `
many() { head -c "$1" /dev/zero | tr '\\000' "$2"; }
send() { # METHOD PATH TYPE, the body from a file
  curl -sS --cacert $account/ca.crt -H "Authorization: Bearer $(cat $account/token)" -H "Content-Type: $3" -X "$1" -d @/tmp/body -w '\\n%{http_code}' "$server$2"
}
fields() { # the text of a file as credentials
  { printf '{"metadata":{"name":"%s"},"data":{"fields":"' $POD_NAME; base64 -w 0 /tmp/fields; printf '"}}'; } > /tmp/body
  send POST $own/secrets application/json | tail -1
}
note() { { printf '{"metadata":{"annotations":{"%s":"' "$1"; cat; printf '"}}}'; } > /tmp/body; send PATCH $own/pods/$POD_NAME application/merge-patch+json | tail -1; }
state() { { printf '{"metadata":{"name":"%s"},"data":' $POD_NAME; cat; printf '}'; } > /tmp/body; send POST $own/configmaps application/json | tail -1; }

if [ "$1" = bind ]; then
  case $vars in *'"_apb_service_instance_id":"forged"'*) exit 21 ;; esac
  exit 8
fi
[ "$1" = provision ] || exit 0
case $(value mode) in
  deep-credentials) { printf '{"a":'; many 400000 '['; many 400000 ']'; printf '}'; } > /tmp/fields; fields ;;
  levels-credentials) { printf '{"a":'; many 4000 '['; many 4000 ']'; printf '}'; } > /tmp/fields; fields ;;
  prototype-credentials) printf '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":1},"user":"u"}' > /tmp/fields; fields ;;
  long-credentials) { printf '{"k":"'; many 900000 k; printf '"}'; } > /tmp/fields; fields ;;
  null-credentials) printf null > /tmp/fields; fields ;;
  no-utf8-credentials) printf '{"a":"\\377\\376"}' > /tmp/fields; fields ;;
  twice-credentials) printf '{"user":"first"}' > /tmp/fields; fields; call DELETE $own/secrets/$POD_NAME; printf '{"user":"second"}' > /tmp/fields; fields ;;
  other-secret) printf '{"metadata":{"name":"not-the-pod"},"data":{"fields":"eyJ1c2VyIjoidSJ9"}}' > /tmp/body; send POST $own/secrets application/json ;;
  long-note) many 1400000 p | note apb_last_operation ;;
  secret-note) printf 'logging in with %s' "$(value password)" | note apb_last_operation; sleep 2; printf 'logging in with %s' "$(value password)" > /dev/termination-log; exit 1 ;;
  sign-note) printf '\\\\u001b[31m\\\\u202e\\\\u0000{{ 1 }}' | note apb_last_operation; sleep 2; exit 1 ;;
  long-dashboard) { printf 'https://x.example/'; many 1000000 d; } | note apb_dashboard_url ;;
  login-dashboard) printf 'https://me:hunter2@x.example/' | note apb_dashboard_url ;;
  quote-dashboard) printf 'x.example/\\\\"><script>alert(1)</script>' | note apb_dashboard_url ;;
  forged-pod) printf '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"other","namespace":"kube-system","uid":"u","labels":{"bundle-fqname":"other"}},"spec":{"containers":[{"name":"x"}]}}' > /tmp/body
    send PUT $own/pods/$POD_NAME application/json | tail -1 | grep -q 200 || exit 22
    call GET $own/pods/$POD_NAME | grep -q '"kind":"Pod"' || exit 23 ;;
  climbing-state) printf '{"../../etc/passwd":"x"}' | state | grep -q 422 || exit 24 ;;
  sign-state) printf '{"a":"\\\\u0000\\\\ud800{{ 1 }}","..b":"x"}' | state | grep -q 422 || exit 24; printf '{"a":"\\\\u0000\\\\ud800{{ 1 }}"}' | state ;;
  long-state) { printf '{"a":"'; many 1400000 s; printf '"}'; } | state ;;
  many-objects) i=0; while [ $i -lt 150 ]; do i=$((i+1)); call POST /api/v1/namespaces/target/events '' '{"metadata":{"generateName":"e"}}' > /dev/null; done ;;
  watches) i=0; while [ $i -lt 60 ]; do i=$((i+1)); curl -sSN --cacert $account/ca.crt -H "Authorization: Bearer $(cat $account/token)" "$server$own/configmaps?watch=true" > /tmp/w$i 2>&1 & done; sleep 3
    grep -l 'too many watches' /tmp/w* | grep -q . || exit 25; call GET /version | grep -q gitVersion || exit 26; kill $(jobs -p); exit 0 ;;
  two-megabytes) many 2097152 m > /dev/termination-log; exit 8 ;;
  fifo-message) rm -f /dev/termination-log; mkfifo /dev/termination-log; exit 1 ;;
  folder-message) rm -f /dev/termination-log; mkdir /dev/termination-log; exit 1 ;;
  bytes-message) printf '\\377\\376\\000\\342\\200\\256ending' > /dev/termination-log; exit 1 ;;
  token) cat $account/token; cat $account/token | note apb_last_operation; printf 'my token is %s' "$(cat $account/token)" > /dev/termination-log; exit 1 ;;
  forged-vars) case $vars in *'"_apb_plan_id":"default"'*'"namespace":"target"'*) exit 0 ;; esac; exit 27 ;;
esac
exit 0
`

const canary = 'canary-of-the-user'

/** What ends so, with what the user reads, and what a binding gets then. */
const left: readonly (readonly [string, 'succeeded' | 'failed', RegExp, object?])[] = [
  ['deep-credentials', 'failed', /more than 100 levels/],
  ['levels-credentials', 'failed', /more than 100 levels/],
  ['prototype-credentials', 'succeeded', /./, { user: 'u' }],
  ['long-credentials', 'failed', /bytes/],
  ['null-credentials', 'failed', /not a JSON object/],
  ['no-utf8-credentials', 'succeeded', /./, {}],
  ['twice-credentials', 'succeeded', /./, { user: 'second' }],
  ['other-secret', 'succeeded', /./],
  ['long-note', 'succeeded', /./],
  ['secret-note', 'failed', /logging in with/],
  ['sign-note', 'failed', /contact administrator/],
  ['long-dashboard', 'succeeded', /./],
  ['login-dashboard', 'succeeded', /./],
  ['quote-dashboard', 'succeeded', /./],
  ['forged-pod', 'succeeded', /./],
  ['climbing-state', 'succeeded', /./],
  ['sign-state', 'succeeded', /./],
  ['long-state', 'succeeded', /./],
  ['many-objects', 'succeeded', /./],
  ['watches', 'succeeded', /./],
  ['two-megabytes', 'failed', /provision is not supported/],
  ['fifo-message', 'failed', /contact administrator/],
  ['folder-message', 'failed', /contact administrator/],
  ['bytes-message', 'failed', /ending/],
  ['token', 'failed', /my token is \[redacted\]/],
  ['forged-vars', 'succeeded', /./],
]

describe('a bundle that leaves', () => {
  let folder: string
  let broker: TestBroker
  let platform: Platform

  beforeAll(async () => {
    if (missing !== undefined) return
    folder = freshFolder('apb-leaving')
    const { reference } = await bundleImage(folder, 'leaving', { spec, entrypoint })
    broker = await offering([{ package: reference, options: { registry: 'dh', namespace: 'target' } }])
    platform = new Platform(broker)
  })
  afterAll(async () => {
    await broker?.stop()
    if (folder) rmSync(folder, { recursive: true, force: true })
  })
  beforeEach(({ skip }) => skip(missing !== undefined, missing))

  test.for(left)('%s', async ([mode, state, words, credentials]) => {
    const ordered = await platform.provision(mode, 'default', { mode, password: canary })
    const ended = await platform.end(mode, ordered)
    const log = await platform.log(String(ordered.body['operation']))
    const { body } = await platform.ask('GET', `/v2/service_instances/${mode}`)
    const where = `${mode}/service_bindings/b`
    const bound = state === 'failed' ? undefined : await platform.bind(mode, 'b', 'default')
    if (bound !== undefined) await platform.end(where, bound)
    const made = await platform.ask('GET', `/v2/service_instances/${where}`)
    const gone = await platform.end(mode, await platform.remove(mode, 'default'))

    expect([ended.state, log.slice(-500)]).toEqual([state, expect.anything()])
    expect(ended.description).toMatch(words)
    expect(ended.description.length).toBeLessThan(10_000)
    expect(ended.description).not.toMatch(/[^\P{Cc}\n\t]|[\u202a-\u202e]/u)
    expect(String(body['dashboard_url'] ?? '').length).toBeLessThan(10_000)
    for (const text of [log, ended.description, broker.logLines.join('')]) {
      expect(text).not.toContain(canary)
      expect(text).not.toContain('internal.unexpected')
    }
    if (credentials !== undefined) expect(made.body).toMatchObject({ credentials })
    expect(({} as { readonly polluted?: string }).polluted).toBeUndefined()
    expect(gone.state).toBe('succeeded')
  })
})
