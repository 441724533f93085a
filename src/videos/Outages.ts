import { Effect } from "effect"
import type { AccountId } from "../contract/Caller.ts"

/** From so many calls in a row on that nobody answered, an upstream is taken to be gone. */
const many = 16
/** That is forgotten so long after the last of them, in ms: whoever waits for it asks more often. */
const lapsesMs = 60_000

/** How an upstream's calls went of late. */
class Silence {
  #unanswered = 0
  #lastMs = -Infinity
  /** The account of all the calls that were not answered; undefined where they are of several, or nobody was reached. */
  #account: AccountId | undefined

  answered(): void {
    this.#unanswered = 0
  }

  unanswered(account: AccountId | undefined, nowMs: number): void {
    this.#account = this.#unanswered === 0 || this.#account === account ? account : undefined
    this.#unanswered++
    this.#lastMs = nowMs
  }

  isSilent(nowMs: number): boolean {
    return this.#unanswered >= many && nowMs - this.#lastMs < lapsesMs
  }

  isSilentFor(account: AccountId, nowMs: number): boolean {
    return this.isSilent(nowMs) && (this.#account === undefined || this.#account === account)
  }
}

/**
 * Which video upstreams answer nobody, by their lanes. Thousands of tasks that wait for one of them would all find that
 * out for themselves, time and again. Times are given, in ms.
 */
export class Outages extends Effect.Service<Outages>()("gateway/videos/Outages", {
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
      /** @param account whose request may be why; undefined where nobody was reached */
      unanswered: (lane: string, account: AccountId | undefined, nowMs: number): void =>
        of(lane).unanswered(account, nowMs),
      /** Whether calls are made more slowly. */
      isSilent: (lane: string, nowMs: number): boolean => lanes.get(lane)?.isSilent(nowMs) === true,
      /** The same for an account's new tasks: one account's requests say nothing to another. */
      isSilentFor: (lane: string, account: AccountId, nowMs: number): boolean =>
        lanes.get(lane)?.isSilentFor(account, nowMs) === true
    }
  }
}) {}
