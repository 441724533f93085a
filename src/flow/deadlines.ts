/** Something that is looked at from time to time: whether a deadline of its own has passed. */
export interface HasDeadline {
  /** @returns when to look again; times are those of `performance.now()`, in ms */
  readonly look: (now: number) => number
  /** Where it stands among those that are watched, which is written here; -1 while it is not. */
  deadlinePlace: number
}

/*
 * One timer for all streams: thousands of timers of their own cost as many kilobytes. It fires when the next of them is
 * due; those that have time are looked at together. Who leaves the list gives its place to the last: a
 * `Map` that lives long keeps alive what was deleted from it until a full collection.
 */
const watched: Array<HasDeadline> = []
/** When each is due, in ms, at its place. */
const dues: Array<number> = []
let timer: ReturnType<typeof setTimeout> | undefined
let firesAt = Infinity

/** How much too late a look may come that is far away, in ms: such looks are put together. */
export const lateness = 500
/** From how far away, in ms. */
const far = 2_000

/** Has it looked at in `ms`, and then whenever it wants to, until it is left. */
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
  // From the end: who takes the place of one that is left has been looked at.
  for (let at = watched.length - 1; at >= 0; at--) {
    const [one, due] = [watched[at], dues[at]]
    if (one === undefined || due === undefined) continue
    let again = due
    if (due <= now) {
      again = dueAt(one.look(now), now)
      // It may have been left meanwhile, by itself.
      if (one.deadlinePlace === -1) continue
      dues[one.deadlinePlace] = again
    }
    if (again < next) next = again
  }
  // A look may have had another one watched, and sooner.
  if (next < firesAt) fireAt(next, now)
}
