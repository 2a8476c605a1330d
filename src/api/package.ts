/** Packages as operators see them: where they come from, what they offer, why one is refused. */
import { Type } from 'typebox'
import { isObject, type Json, type JsonObject } from '../kit/json.ts'
import { present } from '../kit/present.ts'
import type { Package as ModelPackage } from '../model/package.ts'
import type { Problem as ModelProblem } from '../model/problem.ts'
import { problemCodes } from '../model/problem-codes.ts'
import { Problem, toApiProblem } from './problem.ts'
import { Digest, Free, Moment, moment, type Of } from './words.ts'

export const CustomAction = Type.Object(
  {
    name: Type.String(),
    title: Type.Optional(Type.String()),
    description: Type.Optional(Type.String()),
    modifies: Type.Boolean({ description: 'Whether it changes the instance.' }),
    stateless: Type.Boolean({ description: 'Whether it can run without an instance.' }),
    parameters: Type.Optional(Free),
  },
  { title: 'CustomAction', description: 'What a package can do beyond the life cycle.' },
)
export type CustomAction = Of<typeof CustomAction>

export const PackageContent = Type.Object(
  {
    contract: Type.String(),
    name: Type.String(),
    version: Type.String(),
    digest: Digest,
    summary: Type.Optional(Type.String()),
    description: Type.Optional(Type.String({ description: 'Markdown.' })),
    authors: Type.Optional(Type.Array(Type.String())),
    copyright: Type.Optional(Type.String()),
    files: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String(),
          summary: Type.Optional(Type.String()),
          description: Type.Optional(Type.String({ description: 'Markdown.' })),
        }),
        { description: 'What its operations leave behind for operators.' },
      ),
    ),
    links: Type.Optional(Type.Record(Type.String(), Type.String())),
    icon: Type.Optional(Type.Object({ mediaType: Type.String(), base64: Type.String() })),
    services: Type.Array(
      Type.Object({
        id: Type.Optional(Type.String()),
        name: Type.String(),
        description: Type.String(),
        bindable: Type.Boolean(),
        tags: Type.Array(Type.String()),
        plans: Type.Array(
          Type.Object({
            id: Type.Optional(Type.String()),
            name: Type.String(),
            description: Type.String(),
            free: Type.Boolean(),
            schemas: Type.Object({
              create: Type.Optional(Free),
              update: Type.Optional(Free),
              bind: Type.Optional(Free),
            }),
          }),
        ),
      }),
    ),
    actions: Type.Array(CustomAction),
  },
  { title: 'PackageContent', description: 'The normalised view of a package of any contract.' },
)
export type PackageContent = Of<typeof PackageContent>

export const SourceListing = Type.Object(
  {
    listedAt: Type.Optional(Moment),
    images: Type.Integer({ description: 'How many images it holds.' }),
    offered: Type.Integer(),
    kept: Type.Integer({ description: 'Offered as they were: the registry did not answer for them.' }),
    refused: Type.Integer(),
    leftOut: Type.Array(
      Type.Object({
        why: Type.String(),
        count: Type.Integer(),
        names: Type.Array(Type.String(), { description: 'The first hundred.' }),
      }),
    ),
    faults: Type.Array(Type.String(), {
      description: 'Expressions of its lists that are none, and the like.',
    }),
  },
  { title: 'SourceListing', description: 'What came of the images of a source when it was last listed.' },
)
export type SourceListing = Of<typeof SourceListing>

export const Signature = Type.Object(
  {
    form: Type.Union([Type.Literal('cosign'), Type.Literal('bundle'), Type.Literal('notation')]),
    signers: Type.Array(Type.String(), { description: 'Of the signing policy.' }),
    by: Type.String({ description: 'A key, or whose certificate it is.' }),
    fault: Type.Optional(Type.String({ description: 'Why it is of none of its signers.' })),
  },
  { title: 'Signature', description: 'What a registry says about a package, judged by the signing policy.' },
)
export type Signature = Of<typeof Signature>

export const Package = Type.Object(
  {
    name: Type.String({ description: 'Its name in this broker.' }),
    reference: Type.String({ description: 'As the configuration writes it.' }),
    digest: Digest,
    contract: Type.String(),
    state: Type.Union([Type.Literal('offered'), Type.Literal('refused')]),
    problems: Type.Optional(Type.Array(Problem)),
    warnings: Type.Optional(
      Type.Array(Problem, { description: 'What its author should mend; it is offered all the same.' }),
    ),
    source: Type.Optional(Type.String({ description: 'The source that lists it.' })),
    tenant: Type.Optional(Type.String({ description: 'The tenant in whose sandbox it stands.' })),
    listing: Type.Optional(SourceListing),
    signatures: Type.Optional(Type.Array(Signature)),
    content: Type.Optional(PackageContent),
    updatedAt: Moment,
  },
  { title: 'Package' },
)
export type Package = Of<typeof Package>

export const NewPackage = Type.Object(
  {
    name: Type.String({
      maxLength: 50,
      pattern: '^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$',
      description: 'Its name in the sandbox.',
    }),
    reference: Type.String({
      maxLength: 1000,
      examples: ['docker://registry.example/redis@sha256:…'],
      description: 'An image in a registry, with its digest.',
    }),
    contract: Type.Optional(Type.String({ description: 'Where it should not be detected.' })),
    tenant: Type.Optional(
      Type.String({
        maxLength: 300,
        pattern: '^[^\\s*]+$',
        description: 'The tenant that it is for; needed by accounts of several.',
      }),
    ),
    sharedWith: Type.Optional(
      Type.Array(Type.String({ maxLength: 300, pattern: '^(?:\\*|[^\\s*]+(?:/\\*)?)$' }), {
        maxItems: 100,
        description: 'Other tenants that see it; takes `change:tenants`, and ends with the next version.',
      }),
    ),
  },
  { title: 'NewPackage', additionalProperties: false },
)
export type NewPackage = Of<typeof NewPackage>

/** What a package offers, without the contract's own notes. */
export function toPackageContent(pkg: ModelPackage): PackageContent {
  const { papers } = pkg
  return present({
    contract: pkg.contract,
    name: pkg.name,
    version: pkg.version,
    digest: pkg.digest,
    summary: papers.summary,
    description: papers.description,
    authors: papers.authors,
    copyright: papers.copyright,
    files: papers.files,
    links: papers.links,
    icon: papers.icon,
    services: pkg.services.map((service) =>
      present({
        id: service.id,
        name: service.name,
        description: service.description,
        bindable: service.bindable,
        tags: service.tags,
        plans: service.plans.map(({ id, name, description, free, schemas }) =>
          present({ id, name, description, free, schemas }),
        ),
      }),
    ),
    actions: pkg.actions,
  })
}

interface Enrolled {
  readonly name: string
  readonly reference: string
  readonly digest: string
  readonly contract: string
  readonly state: 'offered' | 'refused'
  readonly document: JsonObject
  readonly updatedAt: number
}

/** A package of the catalog. */
export function toPackage(enrolled: Enrolled, content?: PackageContent): Package {
  const { name, reference, digest, contract, state, document } = enrolled
  return present({
    name,
    reference,
    digest,
    contract,
    state,
    problems: state === 'refused' ? problemsIn(document['problems']) : undefined,
    warnings:
      state === 'offered' && document['warnings'] !== undefined
        ? problemsIn(document['warnings'])
        : undefined,
    source: typeof document['source'] === 'string' ? document['source'] : undefined,
    tenant: typeof document['tenant'] === 'string' ? document['tenant'] : undefined,
    listing: listingIn(document),
    // Written by the catalog and nowhere else.
    signatures: document['signatures'] as unknown as readonly Signature[] | undefined,
    content,
    updatedAt: moment(enrolled.updatedAt),
  })
}

/** What a source answered, as that was written down. */
function listingIn({ listing }: JsonObject): SourceListing | undefined {
  if (!isObject(listing)) return undefined
  const {
    listedAt,
    fingerprint: _fingerprint,
    ...told
  } = listing as unknown as Omit<SourceListing, 'listedAt'> & {
    readonly listedAt: number | null
    readonly fingerprint: string
  }
  return present({ ...told, listedAt: listedAt === null ? undefined : moment(listedAt) })
}

/** Why it was refused, or what is to be mended, as that was written down. */
function problemsIn(problems: Json | undefined): readonly Problem[] {
  const written: readonly unknown[] = Array.isArray(problems) ? problems : []
  return written.flatMap((one) => {
    const code = isObject(one) ? one['code'] : undefined
    // By another version of the broker, perhaps, whose codes were others.
    if (typeof code !== 'string' || !Object.hasOwn(problemCodes, code)) return []
    return [toApiProblem(one as ModelProblem)]
  })
}
