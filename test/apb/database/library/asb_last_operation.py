#!/usr/bin/python3
"""Tells users what is going on: reads the whole pod, notes a sentence on it, and writes the whole pod back."""
import os

from ansible.module_utils.basic import AnsibleModule
from kubernetes import client, config


def main():
    module = AnsibleModule(argument_spec={"description": {"type": "str", "required": True}})
    config.load_kube_config()
    api = client.CoreV1Api()
    name, namespace = os.environ["POD_NAME"], os.environ["POD_NAMESPACE"]
    pod = api.read_namespaced_pod(name, namespace)
    pod.metadata.annotations = dict(pod.metadata.annotations or {}, apb_last_operation=module.params["description"])
    api.replace_namespaced_pod(name, namespace, pod, pretty="true")
    module.exit_json(changed=True)


main()
