/** What becomes of the keys of an original broker's configuration, in one sentence each. */

const store = 'gone: instances are kept in store.url; move them with chandler apb import'

/** By section and key. */
export const fates: Readonly<Record<string, string>> = {
  'dao.type': store,
  'dao.etcd_host': store,
  'dao.etcd_port': store,
  'dao.etcd_ca_file': store,
  'dao.etcd_client_cert': store,
  'dao.etcd_client_key': store,
  'log.logfile': 'gone: the log goes to standard output',
  'log.stdout': 'gone: the log goes to standard output',
  'log.level': 'taken over as logs.level',
  'log.color': 'replaced by logs.format',
  'openshift.host': 'taken over as the URL of sources that list image streams; bundles run without a cluster',
  'openshift.ca_file': 'replaced by registries.hosts[].caFile, for sources that list image streams',
  'openshift.bearer_token_file': 'taken over as the token of sources that list image streams',
  'openshift.image_pull_policy': 'gone: images are pinned by digest and pulled once',
  'openshift.sandbox_role': 'gone: a bundle reaches its sandbox and its target namespace, nothing else',
  'openshift.namespace': 'gone: secrets are lent in the catalog, credentials are kept in the store',
  'openshift.keep_namespace': 'gone: logs of all actions are kept for a time (retention)',
  'openshift.keep_namespace_on_error': 'gone: logs of all actions are kept for a time (retention)',
  'broker.dev_broker': 'replaced by chandler apb push, chandler apb run and entries of the catalog',
  'broker.launch_apb_on_bind': 'taken over as the option launchOnBind',
  'broker.bootstrap_on_startup': 'gone: sources are always listed at the start',
  'broker.recovery': 'gone: what runs is found again after a restart, always',
  'broker.output_request': 'gone: requests hold credentials and are not logged',
  'broker.ssl_cert': 'taken over as http.tls.certificateFile',
  'broker.ssl_cert_key': 'taken over as http.tls.keyFile',
  'broker.refresh_interval': 'taken over as the refresh interval of each source',
  'broker.auto_escalate': 'replaced by accounts and their roles (auth.users)',
  'broker.auth': 'replaced by auth.users: give the platform an account of the role platform',
  'broker.dashboard_redirector':
    'taken over as the option dashboardRedirector; the broker is one itself with http.dashboards',
  'broker.user_auth_rule': 'replaced by accounts and their roles (auth.users)',
  'broker.cluster_url': 'taken over as http.pathPrefix',
}

/** Of a registry. */
export const registryFates: Readonly<Record<string, string>> = {
  name: 'taken over: all ids hang on it',
  type: 'taken over',
  url: 'taken over',
  user: 'taken over',
  pass: 'taken over, in a file',
  token: 'taken over, in a file',
  org: 'taken over as organisation',
  tag: 'taken over',
  images: 'taken over',
  namespaces: 'taken over',
  fail_on_error: 'gone: a registry that fails keeps what it had',
  white_list: 'taken over',
  black_list: 'taken over',
  auth_type: 'taken over: the login is in files of the folder secrets',
  auth_name: 'taken over: the login is in files of the folder secrets',
  runner: 'gone, with the registries (galaxy, helm) that need it',
  skip_verify_tls: 'taken over as registries.hosts[].unverified',
}
