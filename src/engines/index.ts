/** The list of engines: a new one is a folder, a line here, and the table of tests. */

export { findSocket, openDockerEngine } from './docker/index.ts'
export { openEmbeddedEngine } from './embedded/index.ts'
export {
  checkReviewRight,
  openAccessReviews,
  openKubernetesEngine,
  openSecrets,
  openTokenReviews,
} from './kubernetes/index.ts'
export { openSimEngine } from './sim/index.ts'
export { openBesideStandIn } from './stand-in/index.ts'
