#!/usr/bin/python3
"""Leaves the result of a test where it is fetched: 0 or 1, and what there is to say."""
from ansible.module_utils.basic import AnsibleModule


def main():
    module = AnsibleModule(argument_spec={"fail": {"type": "bool", "required": True}, "msg": {"type": "str", "default": ""}})
    with open("/var/tmp/test-result", "w") as file:
        file.write("%d\n%s" % (module.params["fail"], module.params["msg"]))
    module.exit_json(changed=True)


main()
