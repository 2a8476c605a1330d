/** Rows: what a program cannot do, even as root. */
import { readdirSync, readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { expect } from 'vitest'
import { findProgram } from '../support/debian.ts'
import { captured, printed, type Row } from './row.ts'

/** Descriptors of this process that every child gets. */
function inheritedDescriptors(): readonly string[] {
  const closeOnExec = 0o2000000
  return readdirSync('/proc/self/fdinfo').filter((name) => {
    const flags = /^flags:\s+(\d+)/m.exec(textAt(`/proc/self/fdinfo/${name}`))?.[1]
    if (flags === undefined) return false
    return (Number.parseInt(flags, 8) & closeOnExec) === 0
  })
}

/** Empty when it is closed meanwhile, by a test of another thread. */
function textAt(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Runs each command; those that succeed are printed. */
const attempts = (...commands: readonly string[]): string =>
  commands.map((command) => `(${command}) >/dev/null 2>&1 && echo ${JSON.stringify(command)}`).join('; ')

export const confinementRows: readonly Row[] = [
  {
    title: 'a variable for the loader acts in no program that still has rights to give up',
    // Every program that is linked dynamically would leave a file, before anything of its own begins.
    step: { environment: { LD_DEBUG: 'files', LD_DEBUG_OUTPUT: '/tmp/loader' } },
    script: 'ls /tmp',
    cannot: ({ run }) =>
      run === 'container'
        ? 'its shell in front of the program is in the container and has no rights'
        : undefined,
    see: (seen) => expect(printed(seen)).toBe(''),
  },
  {
    title: 'no new privileges can be won',
    script: 'grep NoNewPrivs /proc/self/status',
    see: (seen) => expect(printed(seen)).toMatch(/NoNewPrivs:\s+1/),
  },
  {
    title: 'capabilities that reach the host are gone',
    script: 'grep CapBnd /proc/self/status | tr -d "[:space:]" | cut -d: -f2',
    see: (seen) => {
      const bound = BigInt(`0x${printed(seen).trim()}`)
      const has = (bit: number): boolean => (bound >> BigInt(bit)) % 2n === 1n
      const refused = {
        NET_RAW: 13,
        NET_ADMIN: 12,
        SYS_MODULE: 16,
        SYS_PTRACE: 19,
        SYS_ADMIN: 21,
        MKNOD: 27,
        SYS_CHROOT: 18,
      }

      expect(Object.entries(refused).filter(([, bit]) => has(bit))).toEqual([])
    },
  },
  {
    title: 'the user of the image has no capabilities at all',
    image: 'app',
    script: 'grep CapEff /proc/self/status | tr -d "[:space:]" | cut -d: -f2',
    see: (seen) => expect(BigInt(`0x${printed(seen).trim()}`)).toBe(0n),
  },
  {
    title: 'root inside cannot mount, make devices, or change the kernel',
    script: attempts(
      'mount -t tmpfs x /tmp',
      'umount /proc',
      'mount -o remount,rw /proc/sys',
      'mknod /tmp/sda b 8 0',
      'echo 1 > /proc/sys/kernel/panic',
      'echo b > /proc/sysrq-trigger',
      'hostname other',
      '! date -s 2000-01-01 2>&1 | grep permitted',
      'chroot / true',
      'cat /proc/kcore | head -c 1 | grep -q .',
      'echo x > /sys/kernel/profiling',
    ),
    see: (seen) => expect(printed(seen)).toBe(''),
  },
  {
    title: 'calls that the filters of the field refuse are refused to programs of the host, too',
    tools: [{ name: 'perl', from: { kind: 'host' } }],
    cannot: ({ programs }) => {
      if (!programs.includes('tools')) return 'it runs no programs of the host'
      if (process.arch !== 'x64') return 'the numbers of the calls are those of x86-64'
      return findProgram('perl') === undefined ? 'perl is not installed' : undefined
    },
    step: {
      command: {
        kind: 'exec',
        // By number: vmsplice, process_madvise, ustat, chroot, userfaultfd, keyctl; 1 is EPERM.
        argv: [
          'perl',
          '-e',
          'for (278, 440, 136, 161, 323, 250) { syscall($_, 0, 0, 0, 0, 0); print $! + 0, "\n" }',
        ],
      },
      streams: captured,
    },
    see: (seen) => expect(printed(seen)).toBe('1\n'.repeat(6)),
  },
  {
    title: 'new namespaces cannot be made',
    script: attempts('unshare -U true', 'unshare -m true', 'unshare -n true'),
    see: (seen) => expect(printed(seen)).toBe(''),
  },
  {
    title: 'processes of the host are not seen',
    script: 'ls -d /proc/[0-9]* | wc -l; cat /proc/1/cmdline | tr "\\0" " "',
    see: (seen) => {
      const [count, first] = printed(seen).split('\n')

      expect(Number(count)).toBeLessThan(6)
      expect(first).toContain('/proc/1/cmdline')
    },
  },
  {
    title: 'devices of the host are not seen',
    script:
      'for d in /dev/*; do [ -b $d ] && echo $d; done; [ -c /dev/mem ] && echo mem; [ -c /dev/kmsg ] && echo kmsg; echo x > /dev/null && head -c 4 /dev/urandom | wc -c',
    see: (seen) => expect(printed(seen).trim()).toBe('4'),
  },
  {
    title: 'the file system of the host is not seen',
    script: 'ls -d /work /root/.ssh /var/lib/dpkg /boot 2>/dev/null; echo end',
    see: (seen) => expect(printed(seen)).toBe('end\n'),
  },
  {
    title: 'no descriptor but the three is open',
    script: 'ls /proc/self/fd',
    see: (seen) => {
      // The fourth is that of ls itself; what this process inherited from its parent is not ours.
      const usual = new Set(['0', '1', '2', '3', ...inheritedDescriptors()])

      expect(
        printed(seen)
          .split('\n')
          .filter((name) => name !== '' && !usual.has(name)),
      ).toEqual([])
    },
  },
  {
    title: 'core files are not written',
    script: 'ulimit -c',
    see: (seen) => expect(['0\n', 'unlimited\n']).toContain(printed(seen)),
  },
  {
    title: 'without network there is only the own loopback',
    needs: { network: 'none' },
    script: 'ls /sys/class/net; wc -l < /proc/net/route',
    cannot: ({ networkNone }) => (networkNone ? undefined : 'there is always a network'),
    see: (seen) => expect(printed(seen).split('\n').slice(0, 1)).toEqual(['lo']),
  },
  {
    title: 'with network names can be looked up as the host does',
    needs: { network: 'default' },
    script:
      'cat /etc/resolv.conf > /dev/null && echo there; grep -c localhost /etc/hosts | head -c 1 | grep -q "[1-9]" && echo hosts',
    see: (seen) => expect(printed(seen)).toBe('there\nhosts\n'),
  },
  {
    title: 'the name of the host is not told',
    script: 'hostname',
    see: (seen) => expect(printed(seen).trim()).not.toBe(hostname()),
  },
  {
    title: 'memory shared with the host is not shared inside',
    script: 'touch /dev/shm/mine && ls /dev/shm',
    see: (seen) => expect(printed(seen)).toBe('mine\n'),
  },
]
