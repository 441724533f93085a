import type { Batch, Generation } from "../../generation/Generation.ts"
import type { GenerationEvent } from "../../generation/GenerationEvent.ts"
import type { Directive } from "./directive.ts"
import type { Performance } from "./perform.ts"

/** Events given at once: a client that reads slowly need not be handed a long answer whole. */
const batchSize = 256

/**
 * A performance as a generation. Without delay and pace everything is there at once and no timer runs; with a pace one
 * word comes at each beat, and what a late timer missed comes with the next.
 */
export const play = (performance: Performance, directive: Directive): Generation =>
  directive.delayMs === 0 && directive.paceMs === 0 && !performance.staysSilent
    ? atOnce(performance.events)
    : inTime(performance, directive)

const atOnce = (events: ReadonlyArray<GenerationEvent>): Generation => {
  let at = 0
  return {
    next: () => {
      if (at >= events.length) return undefined
      const batch = at === 0 && events.length <= batchSize ? events : events.slice(at, at + batchSize)
      at += batch.length
      return batch
    },
    cancel: () => {
      at = events.length
    }
  }
}

const inTime = ({ events, staysSilent }: Performance, { delayMs, paceMs }: Directive): Generation => {
  let at = 0
  let isCancelled = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let give: ((batch: Batch | undefined) => void) | undefined
  /** When the next beat falls; undefined before the first event. */
  let due: number | undefined

  const beat = (): Batch => {
    const from = at
    if (paceMs === 0) at = Math.min(events.length, at + batchSize)
    else {
      do at = afterWord(events, at)
      while (at < events.length && (due = (due ?? now()) + paceMs) <= now())
    }
    return events.slice(from, at)
  }

  return {
    next: () => {
      if (isCancelled || (at >= events.length && !staysSilent)) return undefined
      const wait = at >= events.length ? Infinity : due === undefined ? delayMs : due - now()
      if (wait <= 0) {
        due ??= now()
        return beat()
      }
      return new Promise((resolve) => {
        give = resolve
        if (wait === Infinity) return
        timer = setTimeout(() => {
          timer = undefined
          due ??= now()
          give = undefined
          resolve(beat())
        }, wait)
      })
    },
    cancel: () => {
      isCancelled = true
      clearTimeout(timer)
      give?.(undefined)
      give = undefined
    }
  }
}

const now = () => performance.now()

/** Where the events after the next word begin; the last word takes what ends the answer with it. */
const afterWord = (events: ReadonlyArray<GenerationEvent>, from: number): number => {
  let at = from
  while (at < events.length && !isWord(events[at])) at++
  at++
  while (at < events.length && !isWord(events[at]) && !isBeginning(events[at])) at++
  return Math.min(at, events.length)
}

const isWord = (event: GenerationEvent | undefined) => event?.type.endsWith("-delta") === true
const isBeginning = (event: GenerationEvent | undefined) => event?.type.endsWith("-start") === true
