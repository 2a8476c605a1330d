/** A process of the pool that answers every question with itself: what asking costs where nothing is done. */
process.on('disconnect', () => process.exit(0))
process.on('message', (question: string) => process.send?.(question))
process.send?.('ready')
