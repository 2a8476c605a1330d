/** What a confined program may do: capabilities, system calls, which parts of /proc and /sys it sees. */
import { grantedCalls } from './system-calls.ts'

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
  '/proc/kallsyms',
  '/proc/kcore',
  '/proc/key-users',
  '/proc/keys',
  '/proc/kpagecgroup',
  '/proc/kpagecount',
  '/proc/kpageflags',
  '/proc/latency_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/proc/slabinfo',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/vmallocinfo',
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
 * System calls no package needs and every escape begins with. They are not permitted; what is neither here nor granted,
 * calls of kernels to come among it, is not there, so that libraries fall back to what they did before.
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

/** CLONE_NEW…: user, pid, net, ipc, uts, cgroup, mount, together. */
const newNamespaces = 0x7e020000
/** Domains of programs that were made for other systems turn protections off; these are of Linux, and the question which is set. */
const personalities = [0, 8, 0x20000, 0x20008, 0xffffffff]
/** Sockets of names, IPv4 and IPv6; others reach hypervisors and buses, or hand the kernel work. */
const families = [1, 2, 10]
/** Asked for addresses and routes; its ninth protocol is the audit of the host. */
const netlink = 16
const audit = 9
const errorPermission = 1
const errorNoCall = 38

/** Of one machine only: a program that enters the kernel by another one's gate ends. */
const architectures: Readonly<Record<string, readonly string[]>> = {
  x64: ['SCMP_ARCH_X86_64'],
  arm64: ['SCMP_ARCH_AARCH64'],
}

const granted = (names: readonly string[], ...args: readonly object[]) => ({
  names,
  action: 'SCMP_ACT_ALLOW',
  ...(args.length === 0 ? {} : { args }),
})

/** The filter as the runtime takes it. */
export const seccomp = {
  defaultAction: 'SCMP_ACT_ERRNO',
  defaultErrnoRet: errorNoCall,
  architectures: architectures[process.arch] ?? [],
  syscalls: [
    granted(grantedCalls),
    // Flags of clone3 lie in memory where a filter cannot look; libraries fall back to clone.
    granted(['clone'], { index: 0, value: newNamespaces, valueTwo: 0, op: 'SCMP_CMP_MASKED_EQ' }),
    ...families.map((value) => granted(['socket'], { index: 0, value, op: 'SCMP_CMP_EQ' })),
    granted(
      ['socket'],
      { index: 0, value: netlink, op: 'SCMP_CMP_EQ' },
      { index: 2, value: audit, op: 'SCMP_CMP_NE' },
    ),
    ...personalities.map((value) => granted(['personality'], { index: 0, value, op: 'SCMP_CMP_EQ' })),
    { names: refusedCalls, action: 'SCMP_ACT_ERRNO', errnoRet: errorPermission },
  ],
} as const
