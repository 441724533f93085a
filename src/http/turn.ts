/** Lets everyone else have a turn, between two steps of work on a large body. */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

let leaving: Promise<void> | undefined

/**
 * The end of the event loop's turn, the same for everybody who waits for it. Answers that are ready in one turn leave one
 * right after the other: a client that sleeps is woken once for all of them, where waking it for each costs more than
 * making the answer. One that comes alone loses nothing that can be measured.
 */
export const endOfTurn = (): Promise<void> =>
  (leaving ??= new Promise((resolve) => {
    setImmediate(() => {
      leaving = undefined
      resolve()
    })
  }))
