/** Yields to other work between two steps on a large body. */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve)
  })

/** How long after a request others are assumed to be active, in ms. */
const stayMs = 50
/** The pause between two turns of long work while others are active, in ms. */
const giveWayMs = 1

let cameAt = -Infinity

/** Records that a request arrived, at this time of `performance.now()`. */
export const came = (at: number): void => {
  cameAt = at
}

/** The time since the last request, in ms. */
const quietMs = (): number => performance.now() - cameAt

let line: Promise<void> = Promise.resolve()
let longLine: Promise<void> = Promise.resolve()

/**
 * A turn of the event loop without another waiter of this function. Ten of them in one turn would delay all other work.
 */
export const ownTurn = (): Promise<void> => (line = line.then(nextTurn))

/**
 * The same for background work, such as the rest of a very long answer: it pauses while other work is active.
 * Beside ten such answers, others then wait 1.3 times as long as without them, instead of 3 times (medians).
 */
export const longTurn = (): Promise<void> =>
  (longLine = longLine.then(() => (areOthersThere() ? pause(giveWayMs) : nextTurn())))

const areOthersThere = () => quietMs() < stayMs

/** Real time, because the load of the event loop passes in real time, also where a test's clock stands still. */
export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** With this many answers in one turn of the event loop, those of the next turn are sent together. */
const busyFrom = 8

let answered = 0
let busy = false
let endedAt = 0
let end: Promise<void> | undefined

/**
 * Resolves at the end of the event loop's turn, for all waiters at once; undefined under light load. Answers of one
 * turn are then sent back to back: waking a sleeping client for each costs more than making the answer. (A client that
 * sends its next request before it has this answer would lose its connection if the answer waited for anything: Bun
 * does not queue requests.)
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

/** True under load: work that can wait would delay callers. */
export const isBusy = (): boolean => busy && performance.now() - endedAt < 50
