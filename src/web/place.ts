/** Where the UI is in this browser: what stands before its pages, and where its API is. */

/** `/ui/`, or longer where a path stands before it. */
export const uiPath = new URL(document.baseURI).pathname

/** `/api/v1` */
export const apiPath = `${uiPath.slice(0, -'/ui/'.length)}/api/v1`

/** The documents, which the broker serves beside the UI. */
export const documentsPath = `${uiPath.slice(0, -'/ui/'.length)}/docs/`

/** The address of the broker as other programs name it. */
export const brokerUrl = `${location.origin}${uiPath.slice(0, -'/ui/'.length)}`
