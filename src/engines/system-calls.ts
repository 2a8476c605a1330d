/** System calls that programs are granted: those of the field's usual filter that no installer was seen to miss, by what they are for. */

export const grantedCalls: readonly string[] = [
  // Files and folders by name.
  ...['access', 'chdir', 'chmod', 'chown', 'chown32', 'creat', 'faccessat', 'faccessat2', 'fchdir'],
  ...['fchmod', 'fchmodat', 'fchown', 'fchown32', 'fchownat', 'fgetxattr', 'flistxattr', 'fremovexattr'],
  ...['fsetxattr', 'fstat', 'fstat64', 'fstatat64', 'fstatfs', 'fstatfs64', 'ftruncate', 'ftruncate64'],
  ...['futimesat', 'getcwd', 'getdents', 'getdents64', 'getxattr', 'lchown', 'lchown32', 'lgetxattr'],
  ...['link', 'linkat', 'listxattr', 'llistxattr', 'lremovexattr', 'lsetxattr', 'lstat', 'lstat64'],
  ...['mkdir', 'mkdirat', 'mknod', 'mknodat', 'newfstatat', 'open', 'openat', 'openat2', 'readdir'],
  ...['readlink', 'readlinkat', 'removexattr', 'rename', 'renameat', 'renameat2', 'rmdir', 'setxattr'],
  ...['stat', 'stat64', 'statfs', 'statfs64', 'statx', 'symlink', 'symlinkat', 'truncate', 'truncate64'],
  ...['umask', 'unlink', 'unlinkat', 'utime', 'utimensat', 'utimensat_time64', 'utimes'],
  // Descriptors and what goes through them.
  ...['_llseek', 'arm_fadvise64_64', 'arm_sync_file_range', 'close', 'close_range', 'copy_file_range'],
  ...['dup', 'dup2', 'dup3', 'eventfd', 'eventfd2', 'fadvise64', 'fadvise64_64', 'fallocate'],
  ...['fanotify_mark', 'fcntl', 'fcntl64', 'fdatasync', 'flock', 'fsync', 'inotify_add_watch'],
  ...['inotify_init', 'inotify_init1', 'inotify_rm_watch', 'io_cancel', 'io_destroy', 'io_getevents'],
  ...['io_setup', 'io_submit', 'ioctl', 'landlock_add_rule', 'landlock_create_ruleset'],
  ...['landlock_restrict_self', 'lseek', 'memfd_create', 'memfd_secret', 'pipe', 'pipe2', 'pread64'],
  ...['preadv', 'preadv2', 'pwrite64', 'pwritev', 'pwritev2', 'read', 'readahead', 'readv', 'sendfile'],
  ...['sendfile64', 'signalfd', 'signalfd4', 'splice', 'sync', 'sync_file_range', 'sync_file_range2'],
  ...['syncfs', 'tee', 'timerfd', 'timerfd_create', 'timerfd_gettime', 'timerfd_gettime64'],
  ...['timerfd_settime', 'timerfd_settime64', 'write', 'writev'],
  // Waiting for them.
  ...['_newselect', 'epoll_create', 'epoll_create1', 'epoll_ctl', 'epoll_ctl_old', 'epoll_pwait'],
  ...['epoll_pwait2', 'epoll_wait', 'epoll_wait_old', 'poll', 'ppoll', 'ppoll_time64', 'pselect6'],
  ...['pselect6_time64', 'select'],
  // Memory.
  ...['brk', 'cacheflush', 'madvise', 'membarrier', 'mincore', 'mlock', 'mlock2', 'mlockall', 'mmap'],
  ...['mmap2', 'mprotect', 'mremap', 'msync', 'munlock', 'munlockall', 'munmap', 'pkey_alloc', 'pkey_free'],
  ...['pkey_mprotect', 'process_mrelease', 'remap_file_pages'],
  // Sockets.
  ...['accept', 'accept4', 'bind', 'connect', 'getpeername', 'getsockname', 'getsockopt', 'listen', 'recv'],
  ...['recvfrom', 'recvmmsg', 'recvmmsg_time64', 'recvmsg', 'send', 'sendmmsg', 'sendmsg', 'sendto'],
  ...['setsockopt', 'shutdown', 'socketcall', 'socketpair'],
  // Processes and threads.
  ...['arch_prctl', 'breakpoint', 'execve', 'execveat', 'exit', 'exit_group', 'fork', 'futex'],
  ...['futex_time64', 'get_robust_list', 'get_thread_area', 'getcpu', 'getpgid', 'getpgrp', 'getpid'],
  ...['getppid', 'getpriority', 'getrandom', 'getrlimit', 'getrusage', 'getsid', 'gettid', 'ioprio_get'],
  ...['ioprio_set', 'pause', 'pidfd_open', 'pidfd_send_signal', 'prctl', 'prlimit64', 'ptrace'],
  ...['restart_syscall', 'rseq', 'sched_get_priority_max', 'sched_get_priority_min', 'sched_getaffinity'],
  ...['sched_getattr', 'sched_getparam', 'sched_getscheduler', 'sched_rr_get_interval'],
  ...['sched_rr_get_interval_time64', 'sched_setaffinity', 'sched_setattr', 'sched_setparam'],
  ...['sched_setscheduler', 'sched_yield', 'seccomp', 'set_robust_list', 'set_thread_area'],
  ...['set_tid_address', 'set_tls', 'setpgid', 'setpriority', 'setrlimit', 'setsid', 'sysinfo', 'times'],
  ...['ugetrlimit', 'uname', 'vfork', 'wait4', 'waitid', 'waitpid'],
  // Signals.
  ...['kill', 'rt_sigaction', 'rt_sigpending', 'rt_sigprocmask', 'rt_sigqueueinfo', 'rt_sigreturn'],
  ...['rt_sigsuspend', 'rt_sigtimedwait', 'rt_sigtimedwait_time64', 'rt_tgsigqueueinfo', 'sigaction'],
  ...['sigaltstack', 'signal', 'sigpending', 'sigprocmask', 'sigreturn', 'sigsuspend', 'tgkill', 'tkill'],
  // Users and groups.
  ...['capget', 'capset', 'getegid', 'getegid32', 'geteuid', 'geteuid32', 'getgid', 'getgid32'],
  ...['getgroups', 'getgroups32', 'getresgid', 'getresgid32', 'getresuid', 'getresuid32', 'getuid'],
  ...['getuid32', 'setfsgid', 'setfsgid32', 'setfsuid', 'setfsuid32', 'setgid', 'setgid32', 'setgroups'],
  ...['setgroups32', 'setregid', 'setregid32', 'setresgid', 'setresgid32', 'setresuid', 'setresuid32'],
  ...['setreuid', 'setreuid32', 'setuid', 'setuid32'],
  // Time, as it may be read; setting it needs a right that no program here has.
  ...['alarm', 'clock_adjtime64', 'clock_getres', 'clock_getres_time64', 'clock_gettime'],
  ...['clock_gettime64', 'clock_nanosleep', 'clock_nanosleep_time64', 'getitimer', 'gettimeofday'],
  ...['nanosleep', 'setitimer', 'time', 'timer_create', 'timer_delete', 'timer_getoverrun'],
  ...['timer_gettime', 'timer_gettime64', 'timer_settime', 'timer_settime64'],
  // Queues and memory shared between processes.
  ...['ipc', 'mq_getsetattr', 'mq_notify', 'mq_open', 'mq_timedreceive', 'mq_timedreceive_time64'],
  ...['mq_timedsend', 'mq_timedsend_time64', 'mq_unlink', 'msgctl', 'msgget', 'msgrcv', 'msgsnd', 'semctl'],
  ...['semget', 'semop', 'semtimedop', 'semtimedop_time64', 'shmat', 'shmctl', 'shmdt', 'shmget'],
]
