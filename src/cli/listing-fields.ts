/** What came of the images of a source, for people. */
import type { SourceListing } from '../api/package.ts'
import { ago, type Field } from './output.ts'

/** All of it in one line. */
export function listingLine(listing: SourceListing | undefined): string | undefined {
  if (listing === undefined) return undefined
  const { images, offered, kept, refused, leftOut, faults } = listing
  const counts = [
    [offered, 'offered'],
    [kept, 'kept'],
    [refused, 'refused'],
    ...leftOut.map(({ why, count }) => [count, why] as const),
  ] as const
  const told = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`)
  return [`${images} images${told.length > 0 ? `: ${told.join(', ')}` : ''}`, ...faults].join('; ')
}

/** With names. */
export function listingFields(listing: SourceListing | undefined): readonly Field[] {
  if (listing === undefined) return []
  const { leftOut, faults, listedAt } = listing
  return [
    ['Listed', listedAt && ago(listedAt)],
    ['Images', listingLine({ ...listing, faults: [] })],
    [
      'Left out',
      leftOut
        .map(({ why, count, names }) => `${why}: ${names.join(', ')}${count > names.length ? ' …' : ''}`)
        .join('\n'),
    ],
    ['Faults', faults.join('\n')],
  ]
}
