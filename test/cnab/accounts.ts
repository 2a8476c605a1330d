/** A bundle that does a little of everything: values in and out, credentials, custom actions, actions for bindings. */
import type { BundleRecipe } from './bundle.ts'

const run = `
out=/cnab/app/outputs
# Both on one stream: between two of them nothing says which line was the last.
echo "executing $CNAB_ACTION of $CNAB_BUNDLE_NAME for $CNAB_INSTALLATION_NAME" >&2
echo "the token is $TOKEN and the admin $ADMIN_TOKEN" >&2
case "$CNAB_ACTION" in
  install|upgrade)
    test "$FAIL" != "$CNAB_ACTION" || { echo half > $out/uri; echo "cannot $CNAB_ACTION" >&2; exit 7; }
    printf 'db://%s?size=%s' "$CNAB_INSTALLATION_NAME" "$SIZE" > $out/uri
    printf '{"size":%s,"tags":%s}' "$SIZE" "$TAGS" > $out/config
    printf 'state of %s\\000' "$CNAB_REVISION" > $out/state
    echo "https://dashboard.example/$CNAB_INSTALLATION_NAME" > $out/dashboard_url
    ;;
  uninstall) test ! -e /in/state || base64 -d /in/state | grep -q 'state of' ;;
  look)
    { env | sort; stat -c '%n %a %u' /cnab/bundle.json /cnab/claim.json /in/greeting /secret/admin; } > $out/seen
    sha256sum < /cnab/bundle.json | cut -d' ' -f1 > $out/bundle
    cat /cnab/claim.json > $out/claim
    printf '%s' "$(cat /in/greeting)" > $out/greeting
    ;;
  io.cnab.status) echo '{"status":"Failed","components":{"web":{"status":"Failed"},"db":{"status":"Ready"}}}' > $out/status ;;
  rotate) printf 'db://rotated?by=%s' "$CNAB_REVISION" > $out/uri ;;
  io.cnab.dry-run) echo "would make size $SIZE" ;;
  bind) printf '{"user":"%s","app":%s}' "u-$CHANDLER_BINDING_ID" "$CHANDLER_BIND_RESOURCE" > $out/credentials ;;
  unbind) grep -q "u-$CHANDLER_BINDING_ID" /cnab/app/chandler/binding.json ;;
esac
`

const output = (definition: string, applyTo: readonly string[]) => ({ definition, applyTo })
const made = ['install', 'upgrade']

export const accounts: BundleRecipe = {
  name: 'accounts',
  run,
  bundle: {
    description: 'Accounts that are not there.',
    keywords: ['accounts', 'test'],
    definitions: {
      size: { type: 'integer', minimum: 1, maximum: 9, default: 1 },
      text: { type: 'string' },
      region: { type: 'string', readOnly: true, default: 'here' },
      token: { type: 'string', writeOnly: true, minLength: 8 },
      tags: { type: 'array', items: { type: 'string' }, default: [] },
      state: { type: 'string', contentEncoding: 'base64', $comment: 'porter-internal' },
      config: { type: 'object' },
    },
    parameters: {
      size: { definition: 'size', destination: { env: 'SIZE' } },
      fail: { definition: 'text', destination: { env: 'FAIL' } },
      region: { definition: 'region', destination: { env: 'REGION' } },
      tags: { definition: 'tags', destination: { env: 'TAGS' } },
      token: { definition: 'token', destination: { env: 'TOKEN' }, required: true },
      greeting: { definition: 'text', destination: { path: '/in/greeting' } },
      state: { definition: 'state', destination: { path: '/in/state' } },
    },
    credentials: { admin: { env: 'ADMIN_TOKEN', path: '/secret/admin', required: true } },
    outputs: {
      uri: { path: '/cnab/app/outputs/uri', ...output('text', [...made, 'rotate']) },
      config: { path: '/cnab/app/outputs/config', ...output('config', made) },
      state: { path: '/cnab/app/outputs/state', ...output('state', made) },
      dashboard_url: { path: '/cnab/app/outputs/dashboard_url', ...output('text', made) },
      seen: { path: '/cnab/app/outputs/seen', ...output('text', ['look']) },
      bundle: { path: '/cnab/app/outputs/bundle', ...output('text', ['look']) },
      claim: { path: '/cnab/app/outputs/claim', ...output('text', ['look']) },
      greeting: { path: '/cnab/app/outputs/greeting', ...output('text', ['look']) },
      status: { path: '/cnab/app/outputs/status', ...output('config', ['io.cnab.status']) },
      credentials: { path: '/cnab/app/outputs/credentials', ...output('config', ['bind']) },
    },
    actions: {
      look: { description: 'Says what a run finds.' },
      'io.cnab.status': { title: 'Health' },
      'io.cnab.dry-run': { stateless: true },
      rotate: { modifies: true },
      bind: { modifies: true },
      unbind: { modifies: true },
    },
    requiredExtensions: ['io.cnab.parameter-sources', 'sh.porter.file-parameters'],
    custom: {
      'io.cnab.parameter-sources': {
        state: { priority: ['output'], sources: { output: { name: 'state' } } },
      },
      'sh.porter.file-parameters': {},
      'io.chandler.service': {
        displayName: 'Accounts',
        tags: ['accounts'],
        plans: [{ name: 'small', parameters: { size: 1 } }, { name: 'free-size' }],
      },
    },
  },
}
