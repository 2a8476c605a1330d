/** Rows: what is put in, kept apart, limited, and brought back. */
import { expect } from 'vitest'
import { tarEnd, tarHeader, tarPadding } from '../../src/artifacts/archive/tar-writer.ts'
import { Secret } from '../../src/kit/secret.ts'
import { file, folder, gotText, printed, type Row, wantFile } from './row.ts'

const stat = (path: string): string => `stat -c '%a %u:%g %F' ${path}`

function tarOf(
  files: Readonly<Record<string, { readonly text: string; readonly mode: number }>>,
): Uint8Array {
  const parts = Object.entries(files).flatMap(([path, { text, mode }]) => {
    const bytes = Buffer.from(text)
    const entry = {
      kind: 'file',
      path,
      target: '',
      bytes: bytes.length,
      mode,
      uid: 0,
      gid: 0,
      mtime: 0,
    } as const
    return [tarHeader(entry), bytes, tarPadding(bytes.length)]
  })
  return new Uint8Array(Buffer.concat([...parts, tarEnd()]))
}

export const fileRows: readonly Row[] = [
  {
    title: 'a file is there with its bytes and mode before the program starts',
    files: [file('/in/put', 'a\0b\xff', { mode: 0o640 })],
    script: `${stat('/in/put')}; wc -c < /in/put`,
    see: (seen) => expect(printed(seen)).toBe('640 0:0 regular file\n5\n'),
  },
  {
    title: 'a file that was put in is read and written',
    files: [file('/work', 'before')],
    script: 'cat /work; printf after > /work',
    act: ({ files, stdout }) => {
      stdout(files.get('/work') ?? '')
      files.set('/work', Buffer.from('after'))
      return 0
    },
    wants: [wantFile('/work')],
    see: (seen) => {
      expect(printed(seen)).toBe('before')
      expect(gotText(seen, '/work')).toBe('after')
    },
  },
  {
    title: 'a secret comes as a file',
    files: [file('/run/key', '', { mode: 0o400, content: { kind: 'secret', secret: new Secret('hush') } })],
    script: 'cat /run/key',
    act: ({ files, stdout }) => {
      stdout(files.get('/run/key') ?? '')
      return 0
    },
    see: (seen) => expect(printed(seen)).toBe('hush'),
  },
  {
    title: 'a file belongs to the user of the image',
    image: 'app',
    files: [file('/in/put', 'x', { mode: 0o600 })],
    script: `${stat('/in/put')}; cat /in/put`,
    see: (seen) => expect(printed(seen)).toBe('600 1000:1001 regular file\nx'),
  },
  {
    title: 'a file of root cannot be read by the user of the image when its mode says so',
    image: 'app',
    files: [file('/in/put', 'x', { mode: 0o600, owner: 'root' })],
    script: `${stat('/in/put')}; cat /in/put 2>/dev/null || echo refused`,
    see: (seen) => expect(printed(seen)).toBe('600 0:0 regular file\nrefused\n'),
  },
  {
    title: 'missing folders above a file are made for the user',
    image: 'app',
    files: [file('/deep/er/file', 'x')],
    script: `${stat('/deep')}; ${stat('/deep/er')}; touch /deep/er/own && echo may`,
    see: (seen) => expect(printed(seen)).toBe('755 1000:1001 directory\n755 1000:1001 directory\nmay\n'),
  },
  {
    title: 'folders of the image above a file keep owner and mode',
    image: 'app',
    files: [file('/closed/file', 'x')],
    script: `${stat('/closed')}; ${stat('/etc')}`,
    see: (seen) => expect(printed(seen)).toBe('711 0:0 directory\n755 0:0 directory\n'),
  },
  {
    title: 'a file takes the place of one of the image',
    files: [file('/etc/motd', 'ours')],
    script: 'cat /etc/motd',
    see: (seen) => expect(printed(seen)).toBe('ours'),
  },
  {
    title: 'a file below a link of the image lies where the link leads, inside',
    files: [file('/var/run/file', 'x')],
    script: 'cat /run/file',
    see: (seen) => expect(printed(seen)).toBe('x'),
  },
  {
    title: 'a link of the image that climbs above the root stays inside',
    files: [file('/escape/chandler-escape', 'x')],
    script: 'cat /etc/chandler-escape',
    see: (seen) => expect(printed(seen)).toBe('x'),
  },
  {
    title: 'a link is put in as a link',
    files: [file('/in/link', '', { content: { kind: 'link', target: '/etc/motd' } })],
    script: 'readlink /in/link; cat /in/link',
    see: (seen) => expect(printed(seen)).toBe('/etc/motd\nfrom the image\n'),
  },
  {
    title: 'names with blanks, quotes and other alphabets arrive',
    files: [file(`/in/a b'c"$d 漢`, 'x')],
    script: `cat "/in/a b'c\\"\\$d 漢"`,
    see: (seen) => expect(printed(seen)).toBe('x'),
  },
  {
    title: 'a read-only file withstands root',
    files: [file('/fixed', 'as it was', { readOnly: true, mode: 0o644 })],
    script:
      '(echo x > /fixed; rm -f /fixed; mv /fixed /other; chmod 777 /fixed; mount -o remount,rw /fixed; umount /fixed) 2>/dev/null; cat /fixed',
    see: (seen) => expect(printed(seen)).toBe('as it was'),
  },
  {
    title: 'a read-only file is read by the user of the image',
    image: 'app',
    files: [file('/in/fixed', 'fixed', { readOnly: true, mode: 0o400 })],
    script: `${stat('/in/fixed')}; cat /in/fixed`,
    see: (seen) => expect(printed(seen)).toBe('400 1000:1001 regular file\nfixed'),
  },
  {
    title: 'a file below /dev is written and brought back',
    files: [file('/dev/termination-log', '', { mode: 0o666 })],
    script: 'printf message > /dev/termination-log',
    wants: [wantFile('/dev/termination-log')],
    see: (seen) => expect(gotText(seen, '/dev/termination-log')).toBe('message'),
  },
  {
    title: 'a folder is empty, of the given mode, and belongs to the user',
    image: 'app',
    folders: [folder('/data/own', { mode: 0o700 })],
    script: `${stat('/data/own')}; ls -A /data/own | wc -l; touch /data/own/x && echo may`,
    see: (seen) => expect(printed(seen).replaceAll(/ +/g, ' ')).toBe('700 1000:1001 directory\n0\nmay\n'),
  },
  {
    title: 'a folder hides what the image has at its place',
    folders: [folder('/etc/conf')],
    script: 'ls -A /etc/conf',
    see: (seen) => expect(printed(seen)).toBe(''),
  },
  {
    title: 'a folder holds what an earlier run left',
    image: 'app',
    folders: [
      folder('/data', { content: { kind: 'tar', tar: tarOf({ 'a/b': { text: 'kept', mode: 0o640 } }) } }),
    ],
    script: `cat /data/a/b; ${stat('/data/a/b')}`,
    see: (seen) => expect(printed(seen)).toBe('kept640 1000:1001 regular file\n'),
  },
  {
    title: 'a read-only folder withstands root',
    folders: [
      folder('/data', {
        readOnly: true,
        content: { kind: 'tar', tar: tarOf({ f: { text: 'x', mode: 0o644 } }) },
      }),
    ],
    script:
      '(echo y > /data/f; rm /data/f; touch /data/new; mount -o remount,rw /data; umount /data) 2>/dev/null; ls /data; cat /data/f',
    see: (seen) => expect(printed(seen)).toBe('f\nx'),
  },
  {
    title: 'a file can lie in a folder of the job',
    folders: [folder('/home/own')],
    files: [file('/home/own/sub/file', 'x')],
    script: 'cat /home/own/sub/file; rm /home/own/sub/file && echo removed',
    see: (seen) => expect(printed(seen)).toBe('xremoved\n'),
  },
  {
    title: 'a file can lie in a limited folder',
    folders: [folder('/small', { bytesMax: 65536 })],
    files: [file('/small/file', 'x')],
    script: 'cat /small/file',
    see: (seen) => expect(printed(seen)).toBe('x'),
  },
  {
    title: 'writing past the limit of a folder is an I/O error for the program',
    folders: [folder('/small', { bytesMax: 262144 })],
    script:
      'dd if=/dev/zero of=/small/big bs=4096 count=200 2>&1 | grep -o "No space left on device"; echo kept > /other; cat /other',
    cannot: ({ folderLimit }) => (folderLimit === 'hard' ? undefined : 'limits are checked afterwards'),
    see: (seen) => expect(printed(seen)).toBe('No space left on device\nkept\n'),
  },
  {
    title: 'a folder within its limit is not disturbed',
    folders: [folder('/small', { bytesMax: 524288 })],
    script:
      'for i in $(seq 1 60); do dd if=/dev/zero of=/small/f$i bs=2048 count=1 2>/dev/null || echo full; done; ls /small | wc -l',
    see: (seen) => expect(printed(seen).trim()).toBe('60'),
  },
  {
    title: 'a folder takes no more entries than its limit',
    folders: [folder('/small', { bytesMax: 1024 * 1024, entriesMax: 10 })],
    script: 'for i in $(seq 1 20); do touch /small/f$i; done 2>/dev/null; ls /small | wc -l',
    cannot: ({ folderLimit }) => (folderLimit === 'hard' ? undefined : 'limits are checked afterwards'),
    see: (seen) => expect(printed(seen).trim()).toBe('10'),
  },
  {
    title: 'a limited folder is brought back as a tar and given to the next run whole',
    folders: [folder('/small', { bytesMax: 524288 })],
    script:
      'mkdir -m 750 /small/dir; echo one > /small/dir/a; chmod 600 /small/dir/a; : > /small/empty; ln -s /etc/passwd /small/link',
    wants: [{ kind: 'tar', name: 'kept', path: '/small', bytesMax: 1_000_000 }],
    see: ({ report }) => {
      const got = report.got.get('kept')
      const text = got?.kind === 'bytes' ? Buffer.from(got.bytes).toString('latin1') : ''

      expect(text).toContain('dir/a')
      expect(text).toContain('one\n')
      expect(text).not.toContain('passwd')
      expect(report.notes.join()).toContain('link')
    },
  },
  {
    title: 'a tar larger than wanted is too large, whatever the file claims',
    limits: { diskBytes: 64 * 1024 ** 3 },
    folders: [folder('/data')],
    script: 'dd if=/dev/zero of=/data/sparse bs=1 count=1 seek=9999999999 2>/dev/null',
    wants: [{ kind: 'tar', name: 'kept', path: '/data', bytesMax: 100_000 }],
    see: ({ report }) => expect(report.got.get('kept')?.kind).toBe('too-large'),
  },
  {
    title: 'a file is brought back with exact bytes',
    script: String.raw`mkdir -p /out; printf '\000\377\n\r' > /out/f`,
    wants: [wantFile('/out/f')],
    see: ({ report }) =>
      expect(report.got.get('/out/f')).toEqual({ kind: 'bytes', bytes: new Uint8Array([0, 255, 10, 13]) }),
  },
  {
    title: 'a file is brought back after a failure',
    script: 'printf partial > /result; exit 9',
    act: ({ files }) => {
      files.set('/result', Buffer.from('partial'))
      return 9
    },
    wants: [wantFile('/result')],
    see: (seen) => {
      expect(seen.report.steps[0]?.exit).toBe(9)
      expect(gotText(seen, '/result')).toBe('partial')
    },
  },
  {
    title: 'a missing file is missing',
    script: 'exit 0',
    act: () => 0,
    wants: [
      wantFile('/no/such/file'),
      { kind: 'files', name: 'none', path: '/none', bytesMax: 10, entriesMax: 1 },
    ],
    see: (seen) => {
      expect(gotText(seen, '/no/such/file')).toBe('missing')
      expect(gotText(seen, 'none')).toBe('missing')
    },
  },
  {
    title: 'a file over its limit is too large and not read',
    script: 'printf 12345 > /big',
    act: ({ files }) => {
      files.set('/big', Buffer.from('12345'))
      return 0
    },
    wants: [wantFile('/big', 4)],
    see: ({ report }) => expect(report.got.get('/big')).toEqual({ kind: 'too-large', bytes: 5 }),
  },
  {
    title: 'a link in the place of a wanted file is not followed',
    script: 'ln -s /etc/passwd /out',
    wants: [wantFile('/out')],
    see: (seen) => {
      expect(gotText(seen, '/out')).toBe('missing')
      expect(seen.report.notes.join()).toContain('link')
    },
  },
  {
    title: 'a pipe in the place of a wanted file does not hang',
    script: 'mkfifo /out',
    wants: [wantFile('/out')],
    see: (seen) => expect(gotText(seen, '/out')).toBe('missing'),
  },
  {
    title: 'the files below a folder come with path, mode and bytes; links and pipes are noted',
    folders: [folder('/out')],
    script:
      'mkdir -p /out/b/c; printf 1 > /out/a; printf 22 > /out/b/c/d; chmod 755 /out/a; ln -s / /out/root; mkfifo /out/pipe',
    wants: [{ kind: 'files', name: 'out', path: '/out', bytesMax: 1000, entriesMax: 10 }],
    see: ({ report }) => {
      const got = report.got.get('out')
      const files = got?.kind === 'files' ? got.files : []

      expect(files.map(({ path, mode, bytes }) => `${path} ${mode.toString(8)} ${bytes}`)).toEqual([
        'a 755 1',
        'b/c/d 644 2',
      ])
      expect(Buffer.from(files[1]?.content ?? []).toString()).toBe('22')
      expect(report.notes.filter((note) => /root|pipe/.test(note))).toHaveLength(2)
    },
  },
  {
    title: 'files below a folder made by the program itself are found',
    script: 'mkdir -p /made/here; printf x > /made/here/f',
    wants: [{ kind: 'files', name: 'out', path: '/made/here', bytesMax: 1000, entriesMax: 10 }],
    see: ({ report }) => {
      const got = report.got.get('out')

      expect(got?.kind === 'files' && got.files.map(({ path }) => path)).toEqual(['f'])
    },
  },
  {
    title: 'beyond the bytes wanted of a folder only name and size are kept',
    folders: [folder('/out')],
    script: 'printf 1234 > /out/a; printf 5678 > /out/b',
    wants: [{ kind: 'files', name: 'out', path: '/out', bytesMax: 5, entriesMax: 10 }],
    see: ({ report }) => {
      const got = report.got.get('out')

      expect(
        got?.kind === 'files' && got.files.map(({ path, bytes, content }) => [path, bytes, content?.length]),
      ).toEqual([
        ['a', 4, 4],
        ['b', 4, undefined],
      ])
    },
  },
  {
    title: 'beyond the entries wanted of a folder the rest is noted',
    folders: [folder('/out')],
    script: 'for i in 1 2 3 4 5; do : > /out/$i; done',
    wants: [{ kind: 'files', name: 'out', path: '/out', bytesMax: 5, entriesMax: 3 }],
    see: ({ report }) => {
      const got = report.got.get('out')

      expect(got?.kind === 'files' && got.files.length).toBe(3)
      expect(report.notes.join()).toContain('2 files')
    },
  },
  {
    title: 'a read-only root is not written to, but /tmp is',
    needs: { readOnlyRoot: true },
    files: [file('/in/put', 'in')],
    script: 'cat /in/put; echo x > /etc/x 2>/dev/null || echo refused; echo y > /tmp/y && cat /tmp/y',
    see: (seen) => expect(printed(seen)).toBe('inrefused\ny\n'),
  },
  {
    title: 'the /tmp of a read-only root is for everybody, also where the image has none',
    image: 'bare',
    needs: { readOnlyRoot: true },
    step: {
      user: '1000:1000',
      command: {
        kind: 'exec',
        argv: ['/busybox', 'sh', '-c', 'echo y >/tmp/y; /busybox stat -c %a /tmp /tmp/y'],
      },
    },
    see: (seen) => expect(printed(seen)).toBe('1777\n644\n'),
  },
  {
    title: 'the /tmp of a read-only root is empty and for everybody, whatever the image has there',
    image: 'app',
    needs: { readOnlyRoot: true },
    script: 'echo y >/tmp/y; stat -c %a /tmp; ls /tmp',
    see: (seen) => expect(printed(seen)).toBe('1777\ny\n'),
  },
]
