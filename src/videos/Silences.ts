import { Effect } from "effect"

/** From so many calls in a row on that nobody answered, an upstream is taken to be gone. */
const many = 16
/** That is forgotten so long after the last of them, in ms: whoever waits for it asks more often. */
const lapsesMs = 60_000

/** How an upstream's calls went of late. */
class Silence {
  #unanswered = 0
  #lastMs = -Infinity

  answered(): void {
    this.#unanswered = 0
  }

  unanswered(nowMs: number): void {
    this.#unanswered++
    this.#lastMs = nowMs
  }

  isSilent(nowMs: number): boolean {
    return this.#unanswered >= many && nowMs - this.#lastMs < lapsesMs
  }
}

/**
 * Which video upstreams answer nobody, by their lanes. Thousands of tasks that wait for one of them would all find that
 * out for themselves, time and again. Times are given, in ms.
 */
export class Silences extends Effect.Service<Silences>()("gateway/videos/Silences", {
  sync: () => {
    const lanes = new Map<string, Silence>()
    const of = (lane: string): Silence => {
      let silence = lanes.get(lane)
      if (silence === undefined) lanes.set(lane, (silence = new Silence()))
      return silence
    }
    return {
      /** It said something, whatever it was. */
      answered: (lane: string): void => of(lane).answered(),
      unanswered: (lane: string, nowMs: number): void => of(lane).unanswered(nowMs),
      isSilent: (lane: string, nowMs: number): boolean => lanes.get(lane)?.isSilent(nowMs) === true
    }
  }
}) {}
