/** Lets everyone else have a turn, between two steps of work on a large body. */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

/** So many answers in one turn of the event loop, and the next turn's leave together. */
const busyFrom = 8

let answered = 0
let busy = false
let endedAt = 0
let end: Promise<void> | undefined

/**
 * The end of the event loop's turn, the same for everybody who waits for it; undefined while there is little to do.
 * Answers that are ready in one turn leave one right after the other: a client that sleeps is woken once for all of
 * them, where waking it for each costs more than making the answer. (A client that sends its next request before it has
 * this answer loses its connection if the answer waits for anything: Bun does not queue requests.)
 */
export const endOfTurn = (): Promise<void> | undefined => {
  answered++
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      busy = answered >= busyFrom
      endedAt = performance.now()
      answered = 0
      end = undefined
      resolve()
    })
  })
  return busy ? end : undefined
}

/** Whether callers keep the server busy: what need not be done now would delay them. */
export const isBusy = (): boolean => busy && performance.now() - endedAt < 50
