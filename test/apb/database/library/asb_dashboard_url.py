#!/usr/bin/python3
"""Tells where the dashboard of the instance is."""
import os

from ansible.module_utils.basic import AnsibleModule
from kubernetes import client, config


def main():
    module = AnsibleModule(argument_spec={"dashboard_url": {"type": "str", "required": True}})
    config.load_kube_config()
    api = client.CoreV1Api()
    name, namespace = os.environ["POD_NAME"], os.environ["POD_NAMESPACE"]
    pod = api.read_namespaced_pod(name, namespace)
    pod.metadata.annotations = dict(pod.metadata.annotations or {}, apb_dashboard_url=module.params["dashboard_url"])
    api.replace_namespaced_pod(name, namespace, pod, pretty="true")
    module.exit_json(changed=True)


main()
