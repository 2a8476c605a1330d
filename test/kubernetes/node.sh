#!/bin/sh
# One node of Kubernetes, in namespaces of its own. Everything ends with its standard input, and nothing outlives it.
# FOLDER PROGRAMS HOST NODE: its data, what was built and unpacked, its own address and that of this machine beyond the link.
set -eu
folder=$1 programs=$2 host=$3 node=$4
bridge=10.244.0.1

if [ "${CHANDLER_NODE-}" != inside ]; then
  trap '' TERM INT HUP
  # In groups of its own, so that what the kubelet makes of groups can be taken away behind it.
  name=chandler-kubernetes-$$
  for group in /sys/fs/cgroup/*/cgroup.procs; do
    at=${group%/cgroup.procs}/$name
    mkdir "$at" 2>/dev/null || continue
    for value in cpuset.cpus cpuset.mems; do [ ! -e "$at/$value" ] || cat "${at%/*}/$value" >"$at/$value"; done
    echo $$ >"$at/cgroup.procs" || true
  done
  CHANDLER_NODE=inside unshare --net --mount --pid --cgroup --fork --kill-child --mount-proc \
    "$0" "$@" || true
  for at in /sys/fs/cgroup/*/"$name"; do
    echo $$ >"${at%/*}/cgroup.procs" 2>/dev/null || true
    find "$at" -depth -type d -exec rmdir {} + 2>/dev/null || true
  done
  rm -rf "$folder"
  exit 0
fi

mount --make-rprivate /
for at in /sys/fs/cgroup/*; do
  kind=${at##*/}
  mountpoint -q "$at" || continue
  umount "$at"
  case $kind in
    unified) mount -t cgroup2 cgroup2 "$at" || true ;;
    systemd) mount -t cgroup -o none,name=systemd cgroup "$at" || true ;;
    *) mount -t cgroup -o "$kind" cgroup "$at" || true ;;
  esac
done
mount -t tmpfs tmpfs /run
mkdir -p "$folder/etcd" "$folder/kubelet" "$folder/log" /run/containerd
mount -t tmpfs tmpfs "$folder/etcd"
export PATH="$programs:$PATH"
log=$folder/log

ip link set lo up
# The other end of the link is put in from outside.
until ip link show eth0 >/dev/null 2>&1; do sleep 0.05; done
ip addr add "$node/30" dev eth0
ip link set eth0 up
ip route add default via "$host"
ip link add cni0 type bridge
ip addr add $bridge/24 dev cni0
ip link set cni0 up
echo 1 >/proc/sys/net/ipv4/ip_forward
iptables -t nat -A PREROUTING -d 10.97.0.1/32 -p tcp --dport 443 -j DNAT --to-destination $bridge:16443
iptables -t nat -A POSTROUTING -s 10.244.0.0/24 -o eth0 -j MASQUERADE

docker-registry serve "$folder/registry.yml" >"$log/registry" 2>&1 </dev/null &
etcd --data-dir "$folder/etcd" --unsafe-no-fsync --listen-client-urls http://127.0.0.1:2379 \
  --advertise-client-urls http://127.0.0.1:2379 --listen-peer-urls http://127.0.0.1:2380 >"$log/etcd" 2>&1 </dev/null &
containerd --config "$folder/containerd.toml" >"$log/containerd" 2>&1 </dev/null &
apiserver() {
  kube-apiserver --bind-address=0.0.0.0 --advertise-address=$bridge --secure-port=16443 --insecure-port=0 \
    --tls-cert-file="$folder/server.crt" --tls-private-key-file="$folder/server.key" \
    --etcd-servers=http://127.0.0.1:2379 --service-cluster-ip-range=10.97.0.0/24 \
    --service-account-key-file="$folder/accounts.key" --service-account-signing-key-file="$folder/accounts.key" \
    --service-account-issuer=https://kubernetes.default.svc --token-auth-file="$folder/tokens" \
    --client-ca-file="$folder/server.crt" --authorization-mode=RBAC --kubelet-preferred-address-types=InternalIP \
    --allow-privileged=true --watch-cache=true >>"$log/apiserver" 2>&1 </dev/null
}
apiserver &
ready() { curl -sk --max-time 2 "https://$bridge:16443/readyz" | grep -qx ok; }
until ready; do sleep 0.1; done
kube-controller-manager --kubeconfig="$folder/kubeconfig" --service-account-private-key-file="$folder/accounts.key" \
  --root-ca-file="$folder/server.crt" --use-service-account-credentials --leader-elect=false >"$log/controllers" 2>&1 </dev/null &
kube-scheduler --kubeconfig="$folder/kubeconfig" --leader-elect=false >"$log/scheduler" 2>&1 </dev/null &
kubelet --config="$folder/kubelet.yaml" --kubeconfig="$folder/kubeconfig" --root-dir="$folder/kubelet" \
  --container-runtime=remote --container-runtime-endpoint=unix:///run/containerd/containerd.sock \
  --hostname-override=n1 --node-ip=$bridge --runtime-cgroups=/ --cni-conf-dir="$folder/cni" >"$log/kubelet" 2>&1 </dev/null &
echo started
another() {
  pkill "$1" -x kube-apiserver || true
  # Asked to end, it waits a minute for watches that do not.
  left=40
  while pgrep -x kube-apiserver >/dev/null; do
    [ $left -gt 0 ] || pkill -KILL -x kube-apiserver || true
    left=$((left - 1))
    sleep 0.05
  done
  "$2"
  apiserver &
  until ready; do sleep 0.1; done
}
etcd_asked() { curl -s -X POST "http://127.0.0.1:2379/v3/kv/$1" -d "$2"; }
compact() {
  revision=$(etcd_asked range '{"key":"eA=="}' | sed 's/.*"revision":"\([0-9]*\)".*/\1/')
  etcd_asked compaction "{\"revision\":\"$revision\"}" >/dev/null
}
# Orders come as lines; the end of them is the end of all.
while read -r order; do
  case $order in
    restart) another -TERM true ;;
    forget) another -KILL compact ;;
    freeze) pkill -STOP -x kubelet ;;
    thaw) pkill -CONT -x kubelet ;;
  esac
  echo "$order"
done
