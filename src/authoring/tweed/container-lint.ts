/** The Containerfile beside a pattern, by which others build its image: whether that would be the same pattern. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nearest } from '../../kit/text.ts'
import type { Problem } from '../../model/problem.ts'
import { type Instruction, instructionsOf, listOf } from '../instructions.ts'
import { folderFault, type PatternFolder } from './folder.ts'

const words = [
  ...[
    'FROM',
    'RUN',
    'CMD',
    'LABEL',
    'EXPOSE',
    'ENV',
    'ADD',
    'COPY',
    'ENTRYPOINT',
    'VOLUME',
    'USER',
    'WORKDIR',
  ],
  ...['ARG', 'ONBUILD', 'STOPSIGNAL', 'HEALTHCHECK', 'SHELL', 'MAINTAINER'],
]

type Say = (line: number | undefined, detail: string, hint: string) => Problem

/** Findings about the file, where there is one. */
export function lintContainerfile(pattern: PatternFolder): readonly Problem[] {
  const source = ['Containerfile', 'Dockerfile']
    .map((name) => join(pattern.folder, name))
    .find((file) => existsSync(file))
  if (source === undefined) return []
  const say: Say = (line, detail, hint) =>
    folderFault(detail, { source, ...(line === undefined ? {} : { line }) }, hint)
  const instructions = instructionsOf(readFileSync(source, 'utf8'))
  const strange = instructions.flatMap(({ word, line }) => {
    if (words.includes(word)) return []
    const meant = nearest(word, words)
    return [say(line, `${word} is no instruction`, meant === undefined ? 'Remove it.' : `Write ${meant}.`)]
  })
  if (strange.length > 0) return strange
  return [...faultsOfEntrypoint(pattern, instructions, say), ...faultsOfCopies(pattern, instructions, say)]
}

function faultsOfEntrypoint(
  { image, files }: PatternFolder,
  instructions: readonly Instruction[],
  say: Say,
): readonly Problem[] {
  const last = (word: string) => instructions.findLast((one) => one.word === word)
  const entrypoint = last('ENTRYPOINT')
  const right = JSON.stringify(image.entrypoint ?? ['/pattern'])
  if (entrypoint === undefined) {
    const command = last('CMD')
    if (command !== undefined) {
      const detail = 'the image gets a command and no ENTRYPOINT; a pattern is run by its entrypoint'
      return [say(command.line, detail, 'Write ENTRYPOINT instead of CMD.')]
    }
    // The base may bring one that image.yml does not name either.
    if (image.entrypoint === undefined) return []
    return [say(last('FROM')?.line, 'there is no ENTRYPOINT', `Add ENTRYPOINT ${right}.`)]
  }
  const { rest, line } = entrypoint
  const list = listOf(rest)
  if (list === undefined) {
    const why = rest.startsWith('[')
      ? 'it is no list in JSON (double quotes, no comma at the end) and so'
      : 'it is'
    const detail = `${why} in shell form, which does not see the operation`
    return [say(line, detail, `Write ENTRYPOINT ${right}.`)]
  }
  const [program = ''] = list
  const wanted = image.entrypoint?.[0]
  if (wanted === undefined || program === wanted || !files.includes(wanted)) return []
  const near = nearest(program, [wanted])
  return near === undefined || files.includes(program)
    ? []
    : [say(line, `nothing is put at ${program}`, `Write ENTRYPOINT ${right}.`)]
}

function faultsOfCopies(
  { folder }: PatternFolder,
  instructions: readonly Instruction[],
  say: Say,
): readonly Problem[] {
  const copies = instructions.filter(({ word, rest }) => word === 'COPY' && !/--from=|<</.test(rest))
  return copies.flatMap(({ rest, line }) => {
    const parts = (listOf(rest) ?? rest.split(/\s+/)).filter((part) => !part.startsWith('--'))
    const to = parts.at(-1) ?? ''
    const sources = parts.slice(0, -1)
    const reserved = /^\/tweed(\/|$)/.test(to)
      ? [
          say(
            line,
            `${to} is reserved for what an operation is given`,
            `Copy it elsewhere: COPY ${sources.join(' ')} /`,
          ),
        ]
      : []
    return [
      ...reserved,
      ...sources.flatMap((from) => faultOfSource(folder, from, (...words) => say(line, ...words))),
    ]
  })
}

function faultOfSource(
  folder: string,
  from: string,
  say: (detail: string, hint: string) => Problem,
): readonly Problem[] {
  if (from.split('/').includes('..')) {
    return [
      say(
        `${from} is outside of the folder that is built`,
        'Copy from the folder of the Containerfile only.',
      ),
    ]
  }
  if (/[*?$[]/.test(from) || existsSync(join(folder, from))) return []
  const near = nearest(from, readdirSync(folder))
  return [
    say(
      `there is no ${from} to copy`,
      near === undefined ? 'Make it, or remove the line.' : `Write ${near}.`,
    ),
  ]
}
