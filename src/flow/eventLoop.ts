/** Lets everyone else have a turn, between two steps of work on a large body. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

/** For how long after a request has come others are taken to be there, in ms. */
const stayMs = 50
/** How long it is between two turns of long work while others are there, in ms. */
const giveWayMs = 1

let cameAt = -Infinity

/** A request has come, at this time of `performance.now()`. */
export const came = (at: number): void => {
  cameAt = at
}

/** For how long no request has come, in ms. */
const quietMs = (): number => performance.now() - cameAt

let line: Promise<void> = Promise.resolve()
let longLine: Promise<void> = Promise.resolve()

/** A turn of the event loop that nobody else who asks for one has: ten of them in one would hold up everybody else. */
export const ownTurn = (): Promise<void> => (line = line.then(nextTurn))

/**
 * The same for work of which nobody waits for the end, such as the rest of a very long answer: while others are there it
 * has a turn in a while. What they wait for their answers beside ten such answers is 1.3 times what it is alone, and
 * was three times as long with every turn taken (medians).
 */
export const longTurn = (): Promise<void> => (longLine = longLine.then(() => (areOthersThere() ? later() : nextTurn())))

const areOthersThere = () => quietMs() < stayMs

const later = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, giveWayMs)
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
