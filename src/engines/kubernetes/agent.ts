/**
 * The two scripts of a pod, for the shell of the helper image. `program` waits for the word to begin, runs the steps one after the
 * other beside nothing else, and stays, so that what they left can be fetched. `sidecar`, in a container that the program cannot
 * reach, takes what is printed and holds the files that the program must not change.
 */

import { quote } from '../shell.ts'
import { spoolFunctions, writerOf } from '../spool.ts'
import type { StepRecord } from '../step-files.ts'
import { filesOf, type StepFiles } from '../step-files.ts'

/** Where both containers find what is theirs alone: tools, pipes, what was printed, how steps ended. */
export const home = '/.chandler'
export const tools = `${home}/bin`

/** In memory: no node keeps what was printed, or what the steps are told. */
export function printedFiles(steps: readonly StepRecord[]): readonly StepFiles[] {
  return filesOf({ folder: '', private: '' }, steps)
}

/** A pipe that the program prints to, and the file that it ends up in. */
export interface Stream {
  readonly file: string
  readonly pipe: string
  readonly captured: { readonly bytesMax: number } | undefined
}

export function streamsOf({ logs, captured }: StepFiles): readonly Stream[] {
  const files = new Set([...(captured ? [captured.file] : []), ...logs.map(({ file }) => file)])
  return [...files].map((file) => ({
    file,
    pipe: `pipe.${file}`,
    captured: captured?.file === file ? { bytesMax: captured.bytesMax } : undefined,
  }))
}

const setOut = [`export PATH=${tools}`, `cd ${home}`]
const stay = 'while :; do sleep 3600 & wait $!; done'

/** The first container: brings the tools, and makes what can be mounted and printed to. */
export function preparationScript(
  steps: readonly StepRecord[],
  rooms: { readonly folders: readonly string[]; readonly files: readonly string[] },
  hasTmp: boolean,
): string {
  const pipes = printedFiles(steps)
    .flatMap(streamsOf)
    .map(({ pipe }) => `${home}/${pipe}`)
  return [
    'set -e',
    `mkdir -p ${tools}`,
    `cp /bin/busybox ${tools}/busybox`,
    `${tools}/busybox --install -s ${tools}`,
    `export PATH=${tools}`,
    // Only those that the way leads through may look around.
    `chmod 711 ${home}`,
    ...(pipes.length > 0 ? [`mkfifo -m 666 ${pipes.join(' ')}`] : []),
    `: >${home}/whole`,
    ...(rooms.folders.length > 0 ? [`cd /rooms; mkdir ${rooms.folders.join(' ')}`] : []),
    ...(hasTmp ? ['mkdir -m 1777 /rooms/rooms/tmp'] : []),
    ...rooms.files.map((file) => `: >/rooms/${file}`),
  ].join('\n')
}

/** The container of the program: its own first process, which outlives it. */
export function programScript(): string {
  return [
    ...setOut,
    "trap 'exit 143' TERM",
    'while [ ! -e go ]; do sleep 0.02; done',
    'i=0',
    'while [ -e step.$i ] && [ ! -e stopping ]; do',
    'echo $EPOCHREALTIME >began.$i',
    // Not beside: what a shell starts beside itself ignores SIGINT.
    'sh step.$i; status=$?',
    'rm -f pid',
    // The run is over when the program is, whatever it left behind.
    'kill -9 -1 2>/dev/null',
    'echo $status >exit.new; mv exit.new exit.$i',
    '[ $status = 0 ] || [ -e may-fail.$i ] || break',
    'i=$((i + 1))',
    'done',
    'events=/sys/fs/cgroup/memory.events; [ -e $events ] || events=/sys/fs/cgroup/memory/memory.oom_control',
    'kills=0; while read -r name count; do [ "$name" != oom_kill ] || kills=$count; done <$events',
    'echo $kills >killed',
    'echo $EPOCHREALTIME >finished',
    ': >end',
    stay,
  ].join('\n')
}

/** The container beside it. */
export function sidecarScript(steps: readonly StepRecord[]): string {
  const streams = printedFiles(steps).flatMap(streamsOf)
  return [
    ...setOut,
    ...spoolFunctions,
    "trap 'exit 143' TERM",
    'while [ ! -e go ]; do sleep 0.02; done',
    ...streams.map(
      ({ file, pipe, captured }) => `{ (${writerOf(file, captured)}); : >drained.${file}; } <${pipe} &`,
    ),
    stay,
  ].join('\n')
}

/** The script of a step; its words are quoted, its environment is its own alone. */
export function stepScript(
  streams: readonly Stream[],
  step: { readonly folder: string; readonly argv: readonly string[] },
): string {
  const [out, err] = streams
  const error = err === undefined ? '2>&1' : `2>${err.pipe}`
  return [
    'echo $$ >pid.new; mv pid.new pid',
    `exec </dev/null >${out?.pipe} ${error}`,
    `mkdir -p ${quote(step.folder)} 2>/dev/null`,
    `cd ${quote(step.folder)} || exit 126`,
    `exec ${step.argv.map(quote).join(' ')}`,
  ].join('\n')
}

/** Starts what was laid out; done again it is nothing. */
export const goScript = `[ -e ${home}/go ] || : >${home}/go`

/** Asks the program to end, and ends it after the grace. The first reason counts. */
export function stopScript(reason: string, signal: string, graceSeconds: number): string {
  return [
    ...setOut,
    '[ ! -e end ] || exit 0',
    `(set -C; echo ${reason} >stopping) 2>/dev/null`,
    '[ -e go ] || exit 0',
    `left=${Math.ceil(graceSeconds * 10)}`,
    // It is just about to begin, or to end.
    'while [ ! -e pid ] && [ ! -e end ] && [ $left -gt 0 ]; do sleep 0.1; left=$((left - 1)); done',
    `[ ! -e pid ] || { read -r pid <pid; kill -${signal} $pid; } 2>/dev/null`,
    'while [ ! -e end ] && [ $left -gt 0 ]; do sleep 0.1; left=$((left - 1)); done',
    '[ -e end ] || kill -9 -1 2>/dev/null',
    'left=100; while [ ! -e end ] && [ $left -gt 0 ]; do sleep 0.1; left=$((left - 1)); done',
    'exit 0',
  ].join('\n')
}

/** Ends whatever runs at once, and lets nothing begin any more. */
export const endScript = [
  ...setOut,
  '(set -C; echo stopped >stopping) 2>/dev/null',
  'kill -9 -1 2>/dev/null',
  'exit 0',
].join('\n')
