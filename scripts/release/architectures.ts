/** The processors that releases are made for. */
export type Architecture = 'x64' | 'arm64'

/** Their names at Debian and in OCI images. */
export const debianArchitectures: Readonly<Record<Architecture, string>> = { x64: 'amd64', arm64: 'arm64' }
