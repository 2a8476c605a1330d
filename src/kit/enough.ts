/** What ends a wait that is no longer needed: an abort without a reason makes an exception, with its stack, each time. */
export const enough = Symbol('enough')
