#!/usr/bin/python3
"""Keeps texts for later actions: makes the ConfigMap that is named like the pod, or patches what is new."""
import os

from ansible.module_utils.basic import AnsibleModule
from kubernetes import client, config


def main():
    module = AnsibleModule(argument_spec={"fields": {"type": "dict", "required": True}})
    config.load_kube_config()
    api = client.CoreV1Api()
    name, namespace = os.environ["POD_NAME"], os.environ["POD_NAMESPACE"]
    wanted = {key: str(value) for key, value in module.params["fields"].items()}
    try:
        there = api.read_namespaced_config_map(name, namespace).data or {}
    except client.rest.ApiException as error:
        if error.status != 404:
            raise
        api.create_namespaced_config_map(namespace, {"metadata": {"name": name}, "data": wanted})
        module.exit_json(changed=True)
    changed = any(there.get(key) != value for key, value in wanted.items())
    if changed:
        api.patch_namespaced_config_map(name, namespace, {"data": wanted})
    module.exit_json(changed=changed)


main()
