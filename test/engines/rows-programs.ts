/** Rows: which program runs, with which arguments, environment, user and folder. */
import { expect } from 'vitest'
import { Secret } from '../../src/kit/secret.ts'
import { captured, file, folder, gotText, merged, printed, type Row, wantFile } from './row.ts'

const entry = (...args: readonly string[]) => ({ command: { kind: 'entrypoint', arguments: args } }) as const
const exec = (...argv: [string, ...string[]]) => ({ command: { kind: 'exec', argv } }) as const

const hostShell: Pick<Row, 'tools' | 'cannot'> = {
  tools: [{ name: 'sh', from: { kind: 'host' } }],
  cannot: ({ programs }) => (programs.includes('tools') ? undefined : 'it runs no programs of the host'),
}

/** A binary of 64 bits that names its loader, and nothing else. */
function binaryWithLoader(loader: string): Uint8Array {
  const bytes = Buffer.alloc(256)
  bytes.write('\x7fELF\x02\x01\x01', 'latin1')
  bytes.writeBigUInt64LE(64n, 32)
  bytes.writeUInt16LE(56, 54)
  bytes.writeUInt16LE(1, 56)
  bytes.writeUInt32LE(3, 64)
  bytes.writeBigUInt64LE(128n, 72)
  bytes.writeBigUInt64LE(BigInt(loader.length + 1), 96)
  bytes.write(`${loader}\0`, 128)
  return bytes
}

/** A program that cannot start, and what is said of it. */
function cannotStart(title: string, content: string | Uint8Array, says: string): Row {
  return {
    title,
    step: exec('/app/program'),
    files: [
      file('/app/program', '', { mode: 0o755, content: { kind: 'bytes', bytes: Buffer.from(content) } }),
    ],
    see: ({ report }) => {
      expect(report.end).toMatchObject({ kind: 'not-started', detail: expect.stringContaining(says) })
    },
  }
}

export const programRows: readonly Row[] = [
  cannotStart(
    'a script whose interpreter is missing does not start, and it is named',
    '#! /usr/bin/python9 -u\nprint()\n',
    'needs the interpreter /usr/bin/python9, which the image lacks',
  ),
  cannotStart(
    'a script with the line ends of Windows does not start, and that is said',
    '#!/bin/sh\r\necho x\r\n',
    'ends its first line as Windows does',
  ),
  cannotStart(
    'a binary whose loader is missing does not start, and it is named',
    binaryWithLoader('/lib64/ld-nowhere.so.2'),
    'needs the loader /lib64/ld-nowhere.so.2, which the image lacks',
  ),
  {
    title: 'a program of the host runs in its workspace, with its files, and may write there only',
    ...hostShell,
    step: {
      command: {
        kind: 'exec',
        argv: ['sh', '-c', 'cat in; echo out >out; pwd; touch /usr/x /etc/x 2>/dev/null || echo closed'],
      },
      streams: merged,
    },
    files: [file('in', 'given\n')],
    wants: [wantFile('out')],
    see: (seen) => {
      expect(seen.log.toString()).toBe('given\n/workspace\nclosed\n')
      expect(gotText(seen, 'out')).toBe('out\n')
    },
  },
  {
    title: 'a program of the host has its name service, its own /tmp, and a limited folder',
    ...hostShell,
    needs: { network: 'default' },
    step: {
      command: {
        kind: 'exec',
        argv: [
          'sh',
          '-c',
          'echo x >/tmp/x && cat /tmp/x; head -c 100000 /dev/zero >small/x 2>/dev/null || echo full',
        ],
      },
      streams: merged,
    },
    folders: [folder('small', { bytesMax: 8192 })],
    see: (seen) => expect(seen.log.toString()).toBe('x\nfull\n'),
  },
  {
    title: 'arguments follow the entrypoint and replace the command of the image',
    image: 'named',
    step: entry('one', 'two words', ''),
    see: (seen) => expect(printed(seen)).toBe('entry one two words \n'),
  },
  {
    title: 'no arguments leave the entrypoint alone, without the command of the image',
    image: 'named',
    step: entry(),
    see: (seen) => expect(printed(seen)).toBe('entry\n'),
  },
  {
    title: 'a fixed program takes the place of entrypoint and command',
    image: 'named',
    step: exec('/bin/printf', '%s|', 'a', 'b c'),
    see: (seen) => expect(printed(seen)).toBe('a|b c|'),
  },
  {
    title: 'a program without a path is looked for in PATH',
    step: exec('busybox', 'echo', 'found'),
    see: (seen) => expect(printed(seen)).toBe('found\n'),
  },
  {
    title: 'arguments are never read by a shell',
    step: exec('/bin/echo', '$(id)', '`id`', '; id', "'", '"', '\\', '*'),
    see: (seen) => expect(printed(seen)).toBe('$(id) `id` ; id \' " \\ *\n'),
  },
  {
    title: 'arguments keep newlines and other alphabets',
    step: exec('/bin/printf', '%s', 'line\nline\tÄ 漢 🚢'),
    see: (seen) => expect(printed(seen)).toBe('line\nline\tÄ 漢 🚢'),
  },
  {
    title: 'an image without a shell runs',
    image: 'bare',
    step: exec('/busybox', 'echo', 'bare'),
    see: (seen) => expect(printed(seen)).toBe('bare\n'),
  },
  {
    title: 'the environment of the image is there',
    script: 'echo "$IMAGE_VAR"',
    see: (seen) => expect(printed(seen)).toBe('from the image\n'),
  },
  {
    title: 'the environment of the step is there and wins over that of the image',
    script: 'printf %s "$IMAGE_VAR $OWN"',
    act: ({ environment, stdout }) => {
      stdout(`${environment['IMAGE_VAR']} ${environment['OWN']}`)
      return 0
    },
    step: { environment: { IMAGE_VAR: 'mine', OWN: 'yes' } },
    see: (seen) => expect(printed(seen)).toBe('mine yes'),
  },
  {
    title: 'a secret in the environment arrives in clear',
    script: 'printf %s "$PASSWORD"',
    act: ({ environment, stdout }) => {
      stdout(environment['PASSWORD'] ?? '')
      return 0
    },
    step: { environment: { PASSWORD: new Secret('s3cr3t $HOME') } },
    see: (seen) => expect(printed(seen)).toBe('s3cr3t $HOME'),
  },
  {
    title: 'values of the environment keep quotes, newlines and emptiness',
    script: 'printf "%s|%s|%s" "$A" "$B" "${C-unset}"',
    step: { environment: { A: `'"\\ $x`, B: 'two\nlines', C: '' } },
    see: (seen) => expect(printed(seen)).toBe(`'"\\ $x|two\nlines|`),
  },
  {
    title: 'a large value of the environment arrives whole',
    script: 'printf %s "$BIG" | wc -c',
    step: { environment: { BIG: 'x'.repeat(100_000) } },
    see: (seen) => expect(printed(seen).trim()).toBe('100000'),
  },
  {
    title: 'nothing of our own environment is inside',
    script: 'env | cut -d= -f1 | sort | tr "\\n" " "',
    see: (seen) => {
      const names = printed(seen).trim().split(' ')
      const known = ['HOME', 'HOSTNAME', 'IMAGE_VAR', 'PATH', 'PWD', 'SHLVL', '_', 'container', 'TERM']

      expect(names.filter((name) => !known.includes(name))).toEqual([])
    },
  },
  {
    title: 'PATH is there though nobody set it',
    script: 'printf %s "$PATH"',
    see: (seen) => expect(printed(seen)).toContain('/usr/bin'),
  },
  {
    title: 'HOME is that of the user',
    image: 'app',
    script: 'printf %s "$HOME"',
    see: (seen) => expect(printed(seen)).toBe('/home/app'),
  },
  {
    title: 'without a user the program is root',
    script: 'id -u; id -g',
    see: (seen) => expect(printed(seen)).toBe('0\n0\n'),
  },
  {
    title: 'the user of the image is looked up in the image, with its groups',
    image: 'app',
    script: 'id -u; id -g; id -G',
    see: (seen) => expect(printed(seen)).toBe('1000\n1001\n1001 50\n'),
  },
  {
    title: 'user and group of the image may be names',
    image: 'named',
    step: exec('/bin/sh', '-c', 'id -u; id -g'),
    see: (seen) => expect(printed(seen)).toBe('1000\n50\n'),
  },
  {
    title: 'the user of the step wins, and may be unknown to the image',
    image: 'app',
    script: 'id -u; id -g',
    step: { user: '4711:4712' },
    see: (seen) => expect(printed(seen)).toBe('4711\n4712\n'),
  },
  {
    title: 'an image without lists of users runs as a number',
    image: 'bare',
    step: { ...exec('/busybox', 'id', '-u'), user: '77' },
    see: (seen) => expect(printed(seen)).toBe('77\n'),
  },
  {
    title: 'the program starts in / unless somebody says otherwise',
    script: 'pwd',
    see: (seen) => expect(printed(seen)).toBe('/\n'),
  },
  {
    title: 'the working folder of the image is made when it is missing',
    image: 'app',
    script: 'pwd',
    see: (seen) => expect(printed(seen)).toBe('/srv/new/place\n'),
  },
  {
    title: 'volumes of the image are folders, with what lies there in the image',
    image: 'app',
    step: { user: '0' },
    script: 'echo x > /var/lib/new/x; ls /var/lib/new /etc/conf',
    see: (seen) => expect(printed(seen)).toBe('/etc/conf:\nof-image\n\n/var/lib/new:\nx\n'),
  },
  {
    title: 'the working folder of the step wins',
    image: 'app',
    script: 'pwd',
    step: { workingFolder: '/tmp' },
    see: (seen) => expect(printed(seen)).toBe('/tmp\n'),
  },
  {
    title: 'standard input is empty',
    script: 'cat; echo "end $?"',
    see: (seen) => expect(printed(seen)).toBe('end 0\n'),
  },
  {
    title: 'there is no terminal',
    script: '[ -t 0 ] || [ -t 1 ] || [ -t 2 ] || echo none',
    see: (seen) => expect(printed(seen)).toBe('none\n'),
  },
  {
    title: 'a missing program did not start',
    step: exec('/no/such/program'),
    see: ({ report }) => expect(report.end.kind).toBe('not-started'),
  },
  {
    title: 'a file that is not executable did not start',
    step: exec('/etc/passwd'),
    see: ({ report }) => expect(report.end.kind).toBe('not-started'),
  },
  {
    title: 'an injected program runs',
    files: [file('/opt/own', '#!/bin/sh\necho injected $1\n', { mode: 0o755 })],
    step: exec('/opt/own', 'arg'),
    see: (seen) => expect(printed(seen)).toBe('injected arg\n'),
  },
  {
    title: 'what the program writes elsewhere is gone with the run',
    script: '[ ! -e /etc/left-behind ] && echo fresh; echo x > /etc/left-behind; cat /etc/left-behind',
    wants: [wantFile('/etc/left-behind')],
    see: (seen) => expect(printed(seen)).toBe('fresh\nx\n'),
  },
  {
    title: 'the same image is fresh in every run',
    script: '[ ! -e /etc/left-behind ] && echo fresh',
    see: (seen) => expect(printed(seen)).toBe('fresh\n'),
  },
  {
    title: 'steps share one file system, in order',
    steps: [
      { ...exec('/bin/sh', '-c', 'echo one > /made'), name: 'first', environment: {}, streams: captured },
      { ...exec('/bin/cat', '/made'), name: 'second', environment: {}, streams: captured },
    ],
    see: (seen) => {
      expect(seen.report.steps.map(({ name, exit }) => `${name} ${exit}`)).toEqual(['first 0', 'second 0'])
      expect(printed(seen, 1)).toBe('one\n')
    },
  },
  {
    title: 'the first step that fails is the last',
    steps: [
      { ...exec('/bin/sh', '-c', 'exit 3'), name: 'first', environment: {}, streams: captured },
      { ...exec('/bin/echo', 'never'), name: 'second', environment: {}, streams: captured },
    ],
    see: ({ report }) => {
      expect(report.end).toEqual({ kind: 'finished' })
      expect(report.steps.map(({ name, exit }) => `${name} ${exit}`)).toEqual(['first 3'])
    },
  },
  {
    title: 'a step that may fail is followed by the next',
    steps: [
      {
        ...exec('/bin/sh', '-c', 'exit 3'),
        name: 'first',
        environment: {},
        streams: captured,
        mayFail: true,
      },
      { ...exec('/bin/echo', 'next'), name: 'second', environment: {}, streams: captured },
    ],
    see: (seen) => {
      expect(seen.report.steps.map(({ exit }) => exit)).toEqual([3, 0])
      expect(printed(seen, 1)).toBe('next\n')
    },
  },
  {
    title: 'each step has its own user, folder and environment',
    steps: [
      {
        ...exec('/bin/sh', '-c', 'id -u; pwd; echo $A'),
        name: 'a',
        environment: { A: '1' },
        streams: captured,
        user: 'app',
        workingFolder: '/tmp',
      },
      { ...exec('/bin/sh', '-c', 'id -u; pwd; echo ${A-no}'), name: 'b', environment: {}, streams: captured },
    ],
    see: (seen) => {
      expect(printed(seen, 0)).toBe('1000\n/tmp\n1\n')
      expect(printed(seen, 1)).toBe('0\n/\nno\n')
    },
  },
]
