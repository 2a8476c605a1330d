/** What scrolls is reached by the keyboard, too, so that all of it can be read without a mouse. */
export const reachable = { tabIndex: 0 } as const
