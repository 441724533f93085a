/** Something that is looked at from time to time: whether a deadline of its own has passed. */
export interface Watched {
  /** @returns when to look again; times are those of `performance.now()`, in ms */
  readonly look: (now: number) => number
}

/*
 * One timer for all streams: thousands of timers of their own cost as many kilobytes. It fires when the next of them is
 * due; those that have time are looked at together.
 */
const watched = new Map<Watched, number>()
let timer: ReturnType<typeof setTimeout> | undefined
let firesAt = Infinity

/** How much too late a look may come that is far away, in ms: such looks are put together. */
export const lateness = 500
/** From how far away, in ms. */
const far = 2_000

/** Has it looked at in `ms`, and then whenever it wants to, until it is left. */
export const watch = (one: Watched, ms: number): void => {
  const now = performance.now()
  const due = dueAt(now + ms, now)
  watched.set(one, due)
  if (due < firesAt) fireAt(due, now)
}

export const leave = (one: Watched): void => {
  watched.delete(one)
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
  for (const [one, due] of watched) {
    let again = due
    if (due <= now) {
      again = dueAt(one.look(now), now)
      // It may have been left meanwhile, by itself.
      if (watched.has(one)) watched.set(one, again)
      else continue
    }
    if (again < next) next = again
  }
  // A look may have had another one watched, and sooner.
  if (next < firesAt) fireAt(next, now)
}
