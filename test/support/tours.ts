/** The pages whose console blocks a test plays from top to bottom, in one shell, and what each needs of the machine. */

export interface ToldPage {
  readonly page: string
  /** Fewer commands mean that the page was not read as it is meant. */
  readonly atLeast: number
  /** Programs of Debian, or `terraform` for Terraform or OpenTofu. */
  readonly needs: readonly string[]
}

/** Played in one table; the page on installing is played with the files of a release. */
export const toured: readonly ToldPage[] = [
  { page: 'README.md', atLeast: 15, needs: [] },
  { page: 'docs/operators.md', atLeast: 30, needs: [] },
  { page: 'docs/developers.md', atLeast: 15, needs: [] },
  { page: 'docs/drills.md', atLeast: 30, needs: [] },
  { page: 'docs/troubleshooting.md', atLeast: 30, needs: [] },
  { page: 'docs/platforms.md', atLeast: 10, needs: [] },
  { page: 'docs/security.md', atLeast: 15, needs: [] },
  { page: 'docs/contracts/sim.md', atLeast: 8, needs: [] },
  { page: 'docs/access.md', atLeast: 25, needs: ['openssl'] },
  { page: 'docs/packages.md', atLeast: 10, needs: [] },
  { page: 'docs/authors.md', atLeast: 6, needs: ['busybox'] },
  { page: 'docs/contracts/tweed.md', atLeast: 15, needs: ['busybox'] },
  { page: 'docs/contracts/cnab.md', atLeast: 15, needs: ['busybox'] },
  { page: 'docs/contracts/brokerpak.md', atLeast: 20, needs: ['terraform'] },
  { page: 'docs/ocm.md', atLeast: 9, needs: ['openssl'] },
  { page: 'docs/contracts/toi.md', atLeast: 11, needs: ['busybox'] },
  { page: 'docs/contracts/apb.md', atLeast: 18, needs: ['busybox', 'curl'] },
  { page: 'docs/conformance.md', atLeast: 8, needs: [] },
  { page: 'docs/languages/hil.md', atLeast: 2, needs: [] },
  { page: 'docs/languages/spiff.md', atLeast: 8, needs: [] },
]
