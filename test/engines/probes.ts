/**
 * Probes of confinement: a program in Perl, which every Debian has, tries what a container should not be able to, and tells of
 * each try whether it was open or shut. Only that something can be opened or called is tried, nothing is changed.
 */

/** System calls by their number on x86-64; zeros as arguments, so that a call which is let through finds nothing to do. */
const calls: Readonly<Record<string, number>> = {
  ...{
    mount: 165,
    umount2: 166,
    pivot_root: 155,
    swapon: 167,
    swapoff: 168,
    quotactl: 179,
    quotactl_fd: 443,
  },
  ...{ open_tree: 428, move_mount: 429, fsopen: 430, fsconfig: 431, fsmount: 432, fspick: 433 },
  ...{ mount_setattr: 442, open_tree_attr: 467, statmount: 457, listmount: 458, setns: 308, unshare: 272 },
  ...{ create_module: 174, init_module: 175, delete_module: 176, get_kernel_syms: 177, query_module: 178 },
  ...{ finit_module: 313, kexec_load: 246, kexec_file_load: 320, reboot: 169, bpf: 321 },
  ...{ perf_event_open: 298, userfaultfd: 323, io_uring_setup: 425, io_uring_enter: 426 },
  ...{ io_uring_register: 427, syslog: 103, acct: 163, lookup_dcookie: 212, nfsservctl: 180, uselib: 134 },
  ...{ _sysctl: 156, sysfs: 139, iopl: 172, ioperm: 173, modify_ldt: 154, vhangup: 153 },
  ...{ get_mempolicy: 239, set_mempolicy: 238, mbind: 237, move_pages: 279, migrate_pages: 256 },
  ...{ set_mempolicy_home_node: 450, fanotify_init: 300, add_key: 248, request_key: 249, keyctl: 250 },
  ...{ open_by_handle_at: 304, name_to_handle_at: 303, settimeofday: 164, clock_settime: 227 },
  ...{ clock_adjtime: 305, adjtimex: 159, vmsplice: 278, ustat: 136, sethostname: 170, setdomainname: 171 },
  ...{ chroot: 161, process_madvise: 440, process_vm_readv: 310, process_vm_writev: 311, kcmp: 312 },
  ...{ pidfd_getfd: 438, getpmsg: 181, putpmsg: 182, afs_syscall: 183, tuxcall: 184, security: 185 },
  ...{ vserver: 236, epoll_ctl_old: 214, cachestat: 451, map_shadow_stack: 453, futex_wake: 454 },
  ...{ futex_requeue: 456, lsm_get_self_attr: 459, lsm_set_self_attr: 460, lsm_list_modules: 461 },
  ...{ mseal: 462, setxattrat: 463, getxattrat: 464, listxattrat: 465, removexattrat: 466 },
  ...{ file_getattr: 468, file_setattr: 469, to_come_480: 480, to_come_500: 500, to_come_511: 511 },
}

/** Calls that are tried once more by the other entries: that of x32, and the gate of 32 bits with its own numbers. */
const onceMore = ['mount', 'unshare', 'setns', 'bpf', 'keyctl', 'chroot', 'reboot', 'kexec_load', 'syslog']
const gated: Readonly<Record<string, number>> = {
  ...{ mount: 21, umount: 22, ptrace: 26, reboot: 88, swapon: 87, syslog: 103, iopl: 110, vm86: 166 },
  ...{ chroot: 61, unshare: 310, add_key: 286, request_key: 287, keyctl: 288, pivot_root: 217, setns: 346 },
  ...{ bpf: 357, init_module: 128, kexec_load: 283, personality: 136, socketcall: 102 },
}

const readable = [
  ...['/proc/kcore', '/proc/keys', '/proc/key-users', '/proc/kmsg', '/proc/kallsyms', '/proc/kpagecount'],
  ...['/proc/kpageflags', '/proc/kpagecgroup', '/proc/vmallocinfo', '/proc/slabinfo', '/proc/timer_list'],
  ...['/proc/timer_stats', '/proc/sched_debug', '/proc/latency_stats', '/proc/interrupts', '/proc/scsi/scsi'],
  ...['/proc/acpi', '/proc/asound/cards', '/proc/iomem', '/proc/ioports', '/proc/mtrr', '/proc/modules'],
  ...['/proc/1/environ', '/proc/1/mem', '/proc/sys/kernel/cap_last_cap', '/sys/firmware/acpi'],
  ...[
    '/sys/firmware/memmap/0/start',
    '/sys/firmware/dmi',
    '/sys/kernel/debug/sched',
    '/sys/kernel/tracing/trace',
  ],
  ...['/sys/kernel/security/lsm', '/sys/fs/selinux/enforce', '/sys/fs/bpf/x', '/sys/fs/pstore/x'],
  ...['/sys/devices/virtual/powercap/dtpm/name', '/sys/kernel/vmcoreinfo', '/sys/kernel/notes'],
  ...['/sys/kernel/btf/vmlinux', '/sys/class/dmi/id/product_uuid', '/sys/hypervisor/uuid', '/run/udev/data'],
  ...[
    '/etc/shadow',
    '/etc/ssh/ssh_host_rsa_key',
    '/root/.ssh/id_rsa',
    '/var/run/docker.sock',
    '/boot/vmlinuz',
  ],
]

const writable = [
  ...['/proc/sysrq-trigger', '/proc/sys/kernel/core_pattern', '/proc/sys/kernel/modprobe'],
  ...['/proc/sys/kernel/panic', '/proc/sys/kernel/domainname', '/proc/sys/kernel/hostname'],
  ...[
    '/proc/sys/kernel/randomize_va_space',
    '/proc/sys/kernel/yama/ptrace_scope',
    '/proc/sys/vm/overcommit_memory',
  ],
  ...['/proc/sys/vm/drop_caches', '/proc/sys/vm/panic_on_oom', '/proc/sys/fs/suid_dumpable'],
  ...[
    '/proc/sys/fs/binfmt_misc/register',
    '/proc/sys/net/ipv4/ip_forward',
    '/proc/sys/net/ipv4/ip_unprivileged_port_start',
  ],
  ...[
    '/proc/sys/user/max_user_namespaces',
    '/proc/sys/kernel/keys/maxkeys',
    '/proc/irq/default_smp_affinity',
  ],
  ...['/proc/bus/pci/00/00.0', '/proc/fs/ext4', '/proc/mtrr', '/proc/timer_stats'],
  ...[
    '/proc/1/mem',
    '/proc/1/attr/current',
    '/proc/self/attr/exec',
    '/proc/1/oom_score_adj',
    '/proc/1/loginuid',
  ],
  ...['/sys/kernel/uevent_helper', '/sys/kernel/profiling', '/sys/kernel/mm/transparent_hugepage/enabled'],
  ...[
    '/sys/kernel/kexec_loaded',
    '/sys/kernel/fscaps',
    '/sys/power/state',
    '/sys/power/disk',
    '/sys/bus/pci/rescan',
  ],
  ...[
    '/sys/class/net/lo/ifalias',
    '/sys/module/kernel/parameters/panic',
    '/sys/block',
    '/sys/fs/cgroup/cgroup.procs',
  ],
  ...[
    '/sys/fs/cgroup/memory/release_agent',
    '/sys/fs/cgroup/cpu/release_agent',
    '/sys/fs/cgroup/devices/devices.allow',
  ],
  ...[
    '/sys/fs/cgroup/memory/memory.limit_in_bytes',
    '/sys/fs/cgroup/pids/cgroup.procs',
    '/sys/fs/cgroup/memory.max',
  ],
  ...[
    '/sys/kernel/debug/x',
    '/sys/kernel/tracing/tracing_on',
    '/usr/bin/perl',
    '/usr/bin/env',
    '/etc/hostname',
  ],
]

const devices = [
  ...[
    'mem',
    'kmem',
    'port',
    'kmsg',
    'core',
    'kvm',
    'fuse',
    'net/tun',
    'vhost-net',
    'vhost-vsock',
    'vsock',
    'loop0',
  ],
  ...[
    'loop-control',
    'mapper/control',
    'sda',
    'vda',
    'nvme0n1',
    'ram0',
    'hpet',
    'rtc0',
    'nvram',
    'uinput',
    'console',
  ],
  ...[
    'tty0',
    'tty1',
    'ttyS0',
    'input/event0',
    'dri/card0',
    'snd/timer',
    'bus/usb',
    'cpu/0/msr',
    'btrfs-control',
  ],
]

/** Kinds of sockets by the number of their family. */
const families = [...Array(46).keys()].filter((family) => family > 0)

/** What a program of this machine would be that makes one call by the gate of 32 bits and ends with what it answered. */
export function gateProgram(call: number): Buffer {
  const code = Buffer.from('b80000000031db31c931d231f631ffcd80f7d889c7b83c0000000f05', 'hex')
  code.writeUInt32LE(call, 1)
  const head = Buffer.alloc(120)
  head.write('\x7fELF\x02\x01\x01', 'latin1')
  const base = 0x400000n
  head.writeUInt16LE(2, 16)
  head.writeUInt16LE(62, 18)
  head.writeUInt32LE(1, 20)
  head.writeBigUInt64LE(base + 120n, 24)
  head.writeBigUInt64LE(64n, 32)
  head.writeUInt16LE(64, 52)
  head.writeUInt16LE(56, 54)
  head.writeUInt16LE(1, 56)
  head.writeUInt32LE(1, 64)
  head.writeUInt32LE(5, 68)
  head.writeBigUInt64LE(base, 80)
  head.writeBigUInt64LE(base, 88)
  head.writeBigUInt64LE(BigInt(120 + code.length), 96)
  head.writeBigUInt64LE(BigInt(120 + code.length), 104)
  head.writeBigUInt64LE(0x1000n, 112)
  return Buffer.concat([head, code])
}

const words = (names: readonly string[]): string => `qw(${names.join(' ')})`
const pairs = (table: Readonly<Record<string, number>>): string =>
  Object.entries(table)
    .map(([name, number]) => `${name} => ${number}`)
    .join(', ')
const gates = Object.entries(gated).map(([name, call]) => `${name} => '${gateProgram(call).toString('hex')}'`)

/** The program; it prints a name and `open` or `shut` on each line. */
export const probeScript = `
use strict; use Fcntl; use Socket; $| = 1;
sub told { print "$_[0] ", ($_[1] ? "open" : "shut"), "\\n" }
# Refused: not permitted, no such call, no access.
sub let { my $r = $_[0]; return 1 if $r >= 0; my $e = $! + 0; return !($e == 1 || $e == 38 || $e == 13) }
sub apart { my ($work) = @_; my $pid = fork; if (!$pid) { exit($work->() ? 0 : 1) } waitpid $pid, 0; return $? == 0 }
my %calls = (${pairs(calls)});
for my $name (sort keys %calls) { my $n = $calls{$name}; told("call $name", apart(sub { let(syscall($n, 0, 0, 0, 0, 0, 0)) })) }
for my $name (${words(onceMore)}) { my $n = $calls{$name} | 0x40000000; told("x32 $name", apart(sub { let(syscall($n, 0, 0, 0, 0, 0, 0)) })) }
my %gates = (${gates.join(', ')});
for my $name (sort keys %gates) {
  my $file = "/tmp/gate.$name";
  open(my $out, '>', $file) or next; binmode $out; print $out pack('H*', $gates{$name}); close $out; chmod 0755, $file;
  my $status = system { $file } $file;
  told("gate $name", $status >= 0 && ($status & 127) == 0 && !grep { $_ == $status >> 8 } 1, 38, 13, 126, 127);
}
my %spaces = (user => 0x10000000, pid => 0x20000000, net => 0x40000000, ipc => 0x08000000, uts => 0x04000000, cgroup => 0x02000000, mnt => 0x00020000, time => 0x80);
for my $name (sort keys %spaces) {
  told("clone $name", $spaces{$name} > 255 && apart(sub { my $r = syscall(56, $spaces{$name} | 17, 0, 0, 0, 0); exit 0 if defined $r && $r == 0; let($r) }));
  my $own = readlink("/proc/self/ns/$name") // '';
  told("shared $name", $own eq ($ENV{"HOST_\\U$name"} // '-') && $own ne '');
}
told("personality $_->[0]", apart(sub { let(syscall(135, $_->[1])) })) for ['no-randomize', 0x40000], ['read-implies-exec', 0x400000], ['svr4', 1];
told("socket $_", apart(sub { let(syscall(41, $_, 3, 0)) || let(syscall(41, $_, 2, 0)) || let(syscall(41, $_, 1, 0)) })) for grep { $_ != 1 && $_ != 2 && $_ != 10 } ${families.join(', ')};
told("audit", apart(sub { let(syscall(41, 16, 3, 9)) }));
sub holds {
  my ($path) = @_; sysopen(my $in, $path, O_RDONLY) or return 0;
  if (-d $path) { opendir(my $folder, $path) or return 0; return scalar grep { !/^[.]/ } readdir $folder }
  my $got = ''; return (sysread($in, $got, 1) // 0) > 0;
}
told("read $_", holds($_)) for ${words(readable)};
for my $path (${words(writable)}) { told("write $path", -d $path ? 0 : sysopen(my $out, $path, O_WRONLY)) }
for my $name (${words(devices)}) { told("device $name", sysopen(my $in, "/dev/$name", O_RDWR | O_NONBLOCK)) }
told("node $_->[0]", syscall(133, my $at = "/tmp/node.$_->[0]", $_->[1] | 0600, $_->[2]) == 0 && sysopen(my $in, "/tmp/node.$_->[0]", O_RDONLY)) for ['block', 0x6000, 0xfe00], ['mem', 0x2000, 0x101], ['kmsg', 0x2000, 0x10b], ['port', 0x2000, 0x104];
open(my $status, '<', '/proc/self/status'); my %is = map { /^(\\w+):\\s+(.*)$/ ? ($1, $2) : () } <$status>;
my $bound = hex(substr($is{CapBnd}, -8)) + hex(substr($is{CapBnd}, 0, 8)) * 2 ** 32;
for my $bit (0 .. 40) { told("capability $bit", int($bound / 2 ** $bit) % 2) }
told("inherited capabilities", $is{CapInh} !~ /^0+$/);
told("ambient capabilities", $is{CapAmb} !~ /^0+$/);
told("new privileges", $is{NoNewPrivs} == 0);
told("no filter", $is{Seccomp} != 2);
opendir(my $fds, '/proc/self/fd'); told("descriptor beyond three", scalar(grep { /^\\d+$/ && $_ > 2 && $_ != fileno($fds) && $_ != fileno($status) } readdir $fds));
open(my $mounts, '<', '/proc/self/mountinfo');
for (<$mounts>) { my @f = split; my ($at, $how) = @f[4, 5]; next unless $at =~ m{^/(proc|sys|dev/shm|dev/pts|dev/mqueue)$};
  for my $word (qw(nosuid nodev noexec)) { next if $at eq '/dev/pts' && $word eq 'nodev'; told("mount $at without $word", $how !~ /\\b$word\\b/) }
  told("mount /sys to write", $how =~ /\\brw\\b/) if $at eq '/sys' }
open(my $groups, '<', '/proc/self/cgroup'); told("path of its group", scalar(grep { m{:/.*chandler|:/.*libpod} } <$groups>));
told("processes of the host", scalar(grep { /^\\d+$/ && $_ > 1000 } do { opendir(my $d, '/proc'); readdir $d }));
`
