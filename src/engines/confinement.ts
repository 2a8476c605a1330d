/** What a confined program may do: capabilities, system calls, which parts of /proc and /sys it sees. */

/** What installers need to hand files and users around; everything that reaches the host is left out. */
export const capabilities = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'NET_BIND_SERVICE',
  'SETGID',
  'SETUID',
] as const

/** Nothing may be read of these. */
export const maskedPaths = [
  '/proc/acpi',
  '/proc/asound',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/sys/devices/virtual/powercap',
  '/sys/firmware',
] as const

/** Nothing may be changed by these. */
export const readOnlyPaths = [
  '/proc/bus',
  '/proc/fs',
  '/proc/irq',
  '/proc/sys',
  '/proc/sysrq-trigger',
] as const

/**
 * System calls no package needs and every escape begins with. A list of what is refused, since the list of what is
 * allowed changes with every kernel and C library; the capabilities above bound what the rest can reach.
 */
const refusedCalls = [
  // Mounts and roots.
  ...['mount', 'umount', 'umount2', 'pivot_root', 'move_mount', 'open_tree', 'open_tree_attr', 'fsopen'],
  ...['fsconfig', 'fsmount', 'fspick', 'mount_setattr', 'swapon', 'swapoff', 'quotactl', 'quotactl_fd'],
  // Namespaces: new ones are new kernel surface.
  ...['setns', 'unshare'],
  // The kernel itself.
  ...['init_module', 'finit_module', 'delete_module', 'create_module', 'kexec_load', 'kexec_file_load'],
  ...['reboot', 'bpf', 'perf_event_open', 'userfaultfd', 'io_uring_setup', 'io_uring_enter'],
  ...['io_uring_register', 'syslog', 'acct', 'lookup_dcookie', 'nfsservctl', 'uselib', '_sysctl', 'sysfs'],
  ...['iopl', 'ioperm', 'vm86', 'vm86old', 'modify_ldt', 'vhangup', 'get_mempolicy', 'set_mempolicy'],
  ...['mbind', 'move_pages', 'migrate_pages', 'fanotify_init'],
  // Keys are not kept apart by namespaces.
  ...['add_key', 'request_key', 'keyctl'],
  // Handles reach files past the mount namespace.
  ...['open_by_handle_at', 'name_to_handle_at'],
  // Time belongs to the host.
  ...['settimeofday', 'clock_settime', 'clock_settime64', 'clock_adjtime', 'adjtimex', 'stime'],
  // Pages of a program handed to the kernel, and calls that nothing has used for decades.
  ...['vmsplice', 'bdflush', 'ustat', 'query_module', 'sgetmask', 'ssetmask', 'swapcontext'],
  ...['pciconfig_iobase', 'pciconfig_read', 'pciconfig_write'],
  ...['sethostname', 'setdomainname', 'chroot'],
  // Other processes.
  'process_madvise',
  ...['process_vm_readv', 'process_vm_writev', 'kcmp', 'pidfd_getfd'],
] as const

/** CLONE_NEW…: user, pid, net, ipc, uts, cgroup, mount. */
const newNamespaces = [0x10000000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x02000000, 0x00020000]
const errorPermission = 1
const errorNoCall = 38

const architectures: Readonly<Record<string, readonly string[]>> = {
  x64: ['SCMP_ARCH_X86_64', 'SCMP_ARCH_X86', 'SCMP_ARCH_X32'],
  arm64: ['SCMP_ARCH_AARCH64', 'SCMP_ARCH_ARM'],
}

/** The filter as the runtime takes it. */
export const seccomp = {
  defaultAction: 'SCMP_ACT_ALLOW',
  architectures: architectures[process.arch] ?? [],
  syscalls: [
    { names: refusedCalls, action: 'SCMP_ACT_ERRNO', errnoRet: errorPermission },
    // Flags of clone3 lie in memory where a filter cannot look; libraries fall back to clone.
    { names: ['clone3'], action: 'SCMP_ACT_ERRNO', errnoRet: errorNoCall },
    ...newNamespaces.map((flag) => ({
      names: ['clone'],
      action: 'SCMP_ACT_ERRNO',
      errnoRet: errorPermission,
      args: [{ index: 0, value: flag, valueTwo: flag, op: 'SCMP_CMP_MASKED_EQ' }],
    })),
  ],
} as const
