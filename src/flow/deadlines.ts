/** An object with a deadline, checked from time to time. */
export interface HasDeadline {
  /** @returns when to check again; times are those of `performance.now()`, in ms */
  readonly look: (now: number) => number
  /** Its index in the list of watched objects, maintained here; -1 if it is not watched. */
  deadlinePlace: number
}

/*
 * One timer for all streams, because thousands of timers take as many kilobytes. It fires for the next due object;
 * checks that can wait are batched. The last object takes the place of one that leaves: a long-lived `Map` keeps
 * deleted entries alive until a full collection.
 */
const watched: Array<HasDeadline> = []
/** The due time of each object at the same index, in ms. */
const dues: Array<number> = []
let timer: ReturnType<typeof setTimeout> | undefined
let firesAt = Infinity

/** The most that a distant check may be late, in ms, so that checks can be batched. */
export const lateness = 500
/** From how far ahead a check counts as distant, in ms. */
const far = 2_000

/** Checks the object in `ms`, and then as often as it asks, until it is removed. */
export const setDeadline = (one: HasDeadline, ms: number): void => {
  const now = performance.now()
  const due = dueAt(now + ms, now)
  if (one.deadlinePlace === -1) one.deadlinePlace = watched.push(one) - 1
  dues[one.deadlinePlace] = due
  if (due < firesAt) fireAt(due, now)
}

export const clearDeadline = (one: HasDeadline): void => {
  const place = one.deadlinePlace
  if (place === -1) return
  one.deadlinePlace = -1
  const [last, due] = [watched.pop(), dues.pop()]
  if (last === undefined || due === undefined || last === one) return
  watched[place] = last
  dues[place] = due
  last.deadlinePlace = place
}

const dueAt = (wanted: number, now: number): number =>
  wanted - now < far ? wanted : Math.ceil(wanted / lateness) * lateness

const fireAt = (due: number, now: number): void => {
  clearTimeout(timer)
  firesAt = due
  timer = setTimeout(fire, Math.max(1, Math.ceil(due - now)))
  timer.unref()
}

const fire = (): void => {
  firesAt = Infinity
  const now = performance.now()
  let next = Infinity
  // Backwards, because the object that fills a gap has been checked already.
  for (let at = watched.length - 1; at >= 0; at--) {
    const [one, due] = [watched[at], dues[at]]
    if (one === undefined || due === undefined) continue
    let again = due
    if (due <= now) {
      again = dueAt(one.look(now), now)
      // Its own check may have removed it.
      if (one.deadlinePlace === -1) continue
      dues[one.deadlinePlace] = again
    }
    if (again < next) next = again
  }
  // A check may have added an object that is due sooner.
  if (next < firesAt) fireAt(next, now)
}
