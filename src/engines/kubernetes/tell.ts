/** What the sidecar of a pod tells of a run as it goes on, over one connection: pieces of its log, and in the end what came of it. */
import { fail } from '../../model/problem.ts'
import type { StepRecord } from '../step-files.ts'
import { home, printedFiles, streamsOf, tools } from './agent.ts'

const pieceBytes = 1024 * 1024
const tailBytes = 8 * 1024

/** A stream of the log, by its place in the list. */
export interface Slot {
  readonly step: number
  readonly stream: 'stdout' | 'stderr'
  readonly file: string
}

export function slotsOf(steps: readonly StepRecord[]): readonly Slot[] {
  return printedFiles(steps).flatMap(({ logs }, step) =>
    logs.map(({ stream, file }) => ({ step, stream, file })),
  )
}

/**
 * The script. It tells of a piece `L SLOT BYTES` and then the bytes; `R SLOT FILE` when a file was read to its end; `O` when more was
 * captured than is allowed; then `S NAME VALUE` for each mark, `C STEP BYTES` for what was captured, `T BYTES` for the last of the
 * log, and `E`. Files that are named on its standard input are removed.
 */
export function tellScript(steps: readonly StepRecord[], from: (slot: Slot) => number): string {
  const slots = slotsOf(steps)
  return [
    `export PATH=${tools}`,
    `cd ${home}`,
    ...slots.map((slot, i) => `p${i}=${from(slot)} f${i}= s${i}=0`),
    // Its input ends with the connection.
    'exec 3<&0',
    'me=$$; { while read -r gone; do rm -f "$gone"; done; kill $me; } <&3 >/dev/null 2>&1 & hears=$!',
    ...handing,
    `nap=0.02`,
    ...printedFiles(steps).flatMap((files, step) => stepLines(steps, step, streamsOf(files))),
    'while [ ! -e end ]; do sleep 0.02; done',
    'for mark in began.* exit.* finished stopping killed; do [ -e $mark ] && read -r value <$mark && echo "S $mark $value"; done',
    '[ -e whole ] || echo "S cut yes"',
    ...printedFiles(steps).flatMap(({ captured }, step) =>
      captured === undefined
        ? []
        : [
            `[ ! -e ${captured.file} ] || { size=$(stat -c %s ${captured.file}); [ $size -le ${captured.bytesMax + 1} ] || size=${captured.bytesMax + 1}; echo "C ${step} $size"; head -c $size ${captured.file}; }`,
          ],
    ),
    ...slots.map(
      ({ file }) =>
        `ls | grep -E '^${file.replace('.', '[.]')}(@[0-9]+)?$' | sort -t @ -k 2n | tail -n 2 >last.$$; size=$(cat $(cat last.$$) </dev/null | tail -c ${tailBytes} | wc -c); echo "T $size"; cat $(cat last.$$) </dev/null | tail -c ${tailBytes}; rm last.$$`,
    ),
    // What still held the connection would keep it open.
    'kill $hears 2>/dev/null; echo E',
  ].join('\n')
}

/** Functions: `first SLOT NAME` finds where to begin, `hand SLOT NAME` tells of one piece, or fails when there is none now. */
const handing: readonly string[] = [
  'first() {',
  'best= at=-1 low= least=',
  '[ -e "$2" ] && best=$2 at=0',
  `for there in "$2"@*; do [ -e "$there" ] || continue; start=\${there##*@}`,
  'if [ $start -le $pos ]; then [ $start -gt $at ] && best=$there at=$start',
  'elif [ -z "$low" ] || [ $start -lt $least ]; then low=$there least=$start; fi; done',
  '[ -n "$best" ] || best=$low at=$least',
  '[ -n "$best" ] || return 1',
  '[ $pos -ge $at ] || pos=$at',
  'eval "f$1=\\$best s$1=$at p$1=$pos"; file=$best from=$at; }',
  'hand() {',
  'eval "file=\\$f$1 from=\\$s$1 pos=\\$p$1"',
  '[ -n "$file" ] || first "$1" "$2" || return 1',
  'left=$(($(stat -c %s "$file") + from - pos))',
  'if [ $left -gt 0 ]; then',
  `[ $left -le ${pieceBytes} ] || left=${pieceBytes}`,
  'echo "L $1 $left"; dd if="$file" bs=65536 iflag=skip_bytes,count_bytes skip=$((pos - from)) count=$left 2>/dev/null',
  'eval "p$1=$((pos + left))"; return 0; fi',
  // What follows an empty file would have its name.
  '[ $pos -gt $from ] && [ -e "$2@$pos" ] || return 1',
  'eval "f$1=\\$2@$pos s$1=$pos"; echo "R $1 $file"; }',
]

/** Tells of one step until all that it printed was told. */
function stepLines(
  steps: readonly StepRecord[],
  step: number,
  streams: ReturnType<typeof streamsOf>,
): readonly string[] {
  const slots = slotsOf(steps).flatMap((slot, i) => (slot.step === step ? [{ ...slot, i }] : []))
  return [
    'while :; do',
    // Asked before reading: what is drained is written no more.
    `over=; { ${streams.map(({ file }) => `[ -e drained.${file} ]`).join(' && ')}; } && over=1`,
    `[ -e end ] && [ ! -e began.${step} ] && break`,
    'moved=',
    ...slots.map(({ i, file }) => `hand ${i} ${file} && moved=1`),
    ...streams.flatMap(({ file, captured }) =>
      captured === undefined
        ? []
        : [
            `[ -n "$over" ] || [ ! -e ${file} ] || [ $(stat -c %s ${file}) -le ${captured.bytesMax} ] || echo O`,
          ],
    ),
    // A stream that never rests must not keep the others waiting, nor may what is left of one be forgotten.
    '[ -z "$over" ] || [ -n "$moved" ] || break',
    // Soon at first, then now and then: runs may take hours.
    'if [ -n "$moved" ]; then nap=0.02; else sleep $nap; case $nap in 0.02) nap=0.03;; 0.03) nap=0.05;; 0.05) nap=0.1;; 0.1) nap=0.2;; *) nap=0.3;; esac; fi',
    'done',
  ]
}

export interface Told {
  readonly marks: ReadonlyMap<string, string>
  readonly captured: ReadonlyMap<number, Uint8Array>
  readonly tail: string
}

export interface Listener {
  piece(slot: Slot, bytes: Buffer): Promise<void>
  /** A file was read to its end. */
  read(slot: Slot, file: string): void
  tooMuch(): void
}

/** Understands what the script tells; the end is known once it was told. */
export function hearing(
  slots: readonly Slot[],
  listener: Listener,
): { take(piece: Buffer): Promise<void>; told(): Told | undefined } {
  const marks = new Map<string, string>()
  const captured = new Map<number, Buffer>()
  const tail: Buffer[] = []
  let rest: Buffer = Buffer.alloc(0)
  let body: { readonly left: number; readonly into: (bytes: Buffer) => Promise<void> | void } | undefined
  let isOver = false
  const slotAt = (text = ''): Slot =>
    slots[Number(text)] ?? fail('engine.unavailable', `a pod tells of the stream ${text}`)
  const hearLine = (line: string): void => {
    const [word, first = '', ...more] = line.split(' ')
    const left = Number(more.at(-1) ?? first)
    if (word === 'S') marks.set(first, more.join(' '))
    else if (word === 'O') listener.tooMuch()
    else if (word === 'R') listener.read(slotAt(first), more.join(' '))
    else if (word === 'L') body = { left, into: (bytes) => listener.piece(slotAt(first), bytes) }
    else if (word === 'C') {
      const step = Number(first)
      captured.set(step, Buffer.alloc(0))
      body = {
        left,
        into: (bytes) => {
          captured.set(step, Buffer.concat([captured.get(step) ?? bytes.subarray(0, 0), bytes]))
        },
      }
    } else if (word === 'T')
      body = {
        left: Number(first),
        into: (bytes) => {
          tail.push(Buffer.from(bytes))
        },
      }
    else if (word === 'E') isOver = true
  }
  return {
    async take(piece) {
      rest = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      for (;;) {
        if (body !== undefined && body.left > 0) {
          if (rest.length === 0) return
          const { left, into } = body
          const bytes = rest.subarray(0, left)
          rest = rest.subarray(bytes.length)
          body = { left: left - bytes.length, into }
          await into(bytes)
          continue
        }
        body = undefined
        const end = rest.indexOf(10)
        if (end < 0) return
        const line = rest.toString('utf8', 0, end)
        rest = rest.subarray(end + 1)
        hearLine(line)
      }
    },
    told: () => (isOver ? { marks, captured, tail: Buffer.concat(tail).toString() } : undefined),
  }
}
