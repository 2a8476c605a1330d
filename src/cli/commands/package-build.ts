/** chandler package build, chandler package copy: images from folders, and from place to place, without a daemon. */
import { type Command, Option } from 'commander'
import { present } from '../../kit/present.ts'
import { fail } from '../../model/problem.ts'
import { add } from '../command.ts'
import { type Form, printOne, withOutput } from '../output.ts'
import { withRegistries } from '../registries-option.ts'
import { isTerminal, say, sayOver } from '../terminal.ts'

/** What composition lends these commands. */
export interface PackageTools {
  build(order: {
    readonly root: string
    readonly to: string
    readonly base?: string
    readonly settings: ImageSettings
    readonly time?: number
    readonly exclude?: readonly string[]
  }): Promise<{ readonly digest: string; readonly bytes: number }>
  copy(order: {
    readonly from: string
    readonly to: string
    readonly platform?: string
    readonly referrers?: boolean
    readonly signal: AbortSignal
    progress(text: string): void
  }): Promise<{ readonly digest: string; readonly mediaType: string; readonly bytes: number }>
}

interface ImageSettings {
  readonly entrypoint?: readonly string[]
  readonly command?: readonly string[]
  readonly environment?: readonly string[]
  readonly user?: string
  readonly workingFolder?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly annotations?: Readonly<Record<string, string>>
  readonly platform?: { readonly os: string; readonly architecture: string }
}

interface BuildFlags {
  readonly to: string
  readonly base?: string
  readonly entrypoint?: string
  readonly command?: string
  readonly env: readonly string[]
  readonly user?: string
  readonly workdir?: string
  readonly label: readonly string[]
  readonly annotation: readonly string[]
  readonly platform?: string
  readonly exclude: readonly string[]
  readonly output: Form
}

interface CopyFlags {
  readonly platform?: string
  readonly referrers?: boolean
  readonly output: Form
}

/** Adds `build` and `copy` to the package command. */
export function registerBuild(parent: Command, tools: () => Promise<PackageTools>): void {
  addBuild(parent, tools)
  addCopy(parent, tools)
}

function addBuild(parent: Command, tools: () => Promise<PackageTools>): void {
  const build = add(parent, {
    usage: 'build <dir>',
    summary: 'Make an image of a folder',
    description:
      'Makes an OCI image of a folder and a few settings, without any daemon. The folder becomes the file system, or lies on top of the base. The same folder always makes the same image.',
    examples: [
      'package build ./redis --to oci:redis:v1 --entrypoint /bin/redis-pattern',
      'package build ./files --base docker://docker.io/library/alpine:3 --to docker://registry.example/me/app:v1 --label com.example.kind=apb',
    ],
  })
  withRegistries(withOutput(build))
    .requiredOption(
      '--to <reference>',
      'where the image goes: docker://, oci:, oci-archive:, docker-archive:',
    )
    .option('--base <reference>', 'the image to build upon')
    .option('--entrypoint <program>', 'a program, or a JSON list of program and arguments')
    .option('--command <arguments>', 'arguments that a run may replace; one, or a JSON list')
    .option('--user <user>', 'user[:group] to run as')
    .option('--workdir <path>', 'folder to run in')
    .option('--platform <os/architecture>', 'the platform it is made for')
    .addOption(many('--env <name=value>', 'an environment variable; may be repeated'))
    .addOption(many('--label <name=value>', 'a label; may be repeated'))
    .addOption(many('--annotation <name=value>', 'an annotation of the manifest; may be repeated'))
    .addOption(many('--exclude <path>', 'a path below the folder to leave out; may be repeated'))
    .action(async (root: string, flags: BuildFlags) => {
      const { to, base, exclude, output } = flags
      const order = {
        root,
        to,
        settings: settingsOf(flags),
        exclude,
        ...present({ base }),
      }
      const { digest, bytes } = await (await tools()).build(order)
      await printOne(output, {
        kind: 'Image',
        name: digest,
        value: { reference: to, digest, bytes },
        fields: [
          ['Image', to],
          ['Digest', digest],
          ['Size', megabytes(bytes)],
        ],
      })
    })
}

function addCopy(parent: Command, tools: () => Promise<PackageTools>): void {
  const copy = add(parent, {
    usage: 'copy <from> <to>',
    summary: 'Copy a package between registries, layouts and archives',
    description:
      'Copies an image, or any other OCI artifact, with its exact bytes and so with its digest; only a docker-archive holds no manifest, and has another when it is read, and an image of Docker schema 1 is made anew as one of today. All platforms are copied unless one is named.',
    examples: [
      'package copy docker://registry.example/team/app:v1 oci:./mirror:v1',
      'package copy oci-archive:app.tar docker://localhost:5000/app:v1 --referrers',
    ],
  })
  withRegistries(withOutput(copy))
    .option('--platform <os/architecture>', 'only the image for this platform')
    .option('--referrers', 'also what refers to it: signatures, bills of materials')
    .action(async (from: string, to: string, { platform, referrers, output }: CopyFlags) => {
      const stop = new AbortController()
      const interrupted = (): void => stop.abort()
      process.once('SIGINT', interrupted)
      try {
        const copied = await (await tools()).copy({
          from,
          to,
          signal: stop.signal,
          progress: showProgress,
          ...present({ platform, referrers }),
        })
        if (isTerminal('stderr')) sayOver('')
        await printOne(output, {
          kind: 'Copy',
          name: copied.digest,
          value: { from, to, ...copied },
          fields: [
            ['From', from],
            ['To', to],
            ['Digest', copied.digest],
            ['Moved', megabytes(copied.bytes)],
          ],
        })
      } finally {
        process.off('SIGINT', interrupted)
      }
    })
}

function settingsOf(flags: BuildFlags): ImageSettings {
  const { entrypoint, command, env, user, workdir, platform } = flags
  const environment = pairs(env, '--env')
  const labels = pairs(flags.label, '--label')
  const annotations = pairs(flags.annotation, '--annotation')
  return {
    ...(entrypoint === undefined ? {} : { entrypoint: words(entrypoint, '--entrypoint') }),
    ...(command === undefined ? {} : { command: words(command, '--command') }),
    ...(environment === undefined
      ? {}
      : { environment: Object.entries(environment).map(([name, value]) => `${name}=${value}`) }),
    ...present({ user, workingFolder: workdir, labels, annotations }),
    ...(platform === undefined ? {} : { platform: platformOf(platform) }),
  }
}

function many(flags: string, description: string): Option {
  return new Option(flags, description)
    .default([], 'none')
    .argParser((value, before: unknown) => [...(Array.isArray(before) ? (before as string[]) : []), value])
}

/** One word, or a JSON list as image configurations have them. */
function words(text: string, flag: string): readonly string[] {
  if (!text.startsWith('[')) return [text]
  try {
    const list: unknown = JSON.parse(text)
    if (Array.isArray(list) && list.every((word) => typeof word === 'string')) return list
  } catch {
    // Said below.
  }
  return fail('usage.invalid', `${flag} takes a program or a JSON list of texts`)
}

function pairs(list: readonly string[], flag: string): Readonly<Record<string, string>> | undefined {
  if (list.length === 0) return undefined
  return Object.fromEntries(
    list.map((text): [string, string] => {
      const equals = text.indexOf('=')
      if (equals <= 0) fail('usage.invalid', `${flag} takes name=value`)
      return [text.slice(0, equals), text.slice(equals + 1)]
    }),
  )
}

function platformOf(text: string): { readonly os: string; readonly architecture: string } {
  const [os = '', architecture = '', ...rest] = text.split('/')
  if (os === '' || architecture === '' || rest.length > 0)
    fail('usage.invalid', '--platform takes os/architecture')
  return { os, architecture }
}

function showProgress(text: string): void {
  if (isTerminal('stderr')) sayOver(text)
  else say(text)
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
