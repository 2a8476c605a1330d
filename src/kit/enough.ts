/** What ends a wait that nobody needs any more: an abort without a reason makes an exception, with its stack, each time. */
export const enough = Symbol('enough')
