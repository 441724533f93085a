import { Effect } from "effect"
import type { AccountId } from "../contract/callers/Caller.ts"

/** The number of consecutive unanswered calls after which an upstream counts as silent. */
const silentFrom = 16
/** It is forgotten this long after the last one, in ms. Waiting tasks poll more often. */
const lapsesMs = 60_000

/** Recent unanswered calls of an upstream. */
class Outage {
  recordSilence = 0
  #lastMs = -Infinity
  /** The account of all unanswered calls; undefined if there are several, or the upstream was not reached. */
  #account: AccountId | undefined

  recordAnswer(): void {
    this.recordSilence = 0
  }

  unanswered(account: AccountId | undefined, nowMs: number): void {
    this.#account = this.recordSilence === 0 || this.#account === account ? account : undefined
    this.recordSilence++
    this.#lastMs = nowMs
  }

  isSilent(nowMs: number): boolean {
    return this.recordSilence >= silentFrom && nowMs - this.#lastMs < lapsesMs
  }

  isSilentFor(account: AccountId, nowMs: number): boolean {
    return this.isSilent(nowMs) && (this.#account === undefined || this.#account === account)
  }
}

/**
 * Video upstreams that do not answer, by bulkhead name. Otherwise thousands of waiting tasks would each find out by
 * themselves, again and again. Times are passed in, in ms.
 */
export class Outages extends Effect.Service<Outages>()("gateway/videos/Outages", {
  sync: () => {
    const bulkheads = new Map<string, Outage>()
    const of = (bulkhead: string): Outage => {
      let outage = bulkheads.get(bulkhead)
      if (outage === undefined) bulkheads.set(bulkhead, (outage = new Outage()))
      return outage
    }
    return {
      /** The upstream gave any answer. */
      answered: (bulkhead: string): void => of(bulkhead).recordAnswer(),
      /** @param account the account whose request may be the cause; undefined if the upstream was not reached */
      unanswered: (bulkhead: string, account: AccountId | undefined, nowMs: number): void =>
        of(bulkhead).unanswered(account, nowMs),
      /** True if calls should be slower. */
      isSilent: (bulkhead: string, nowMs: number): boolean => bulkheads.get(bulkhead)?.isSilent(nowMs) === true,
      /** The same for an account's new tasks: other accounts' requests do not count. */
      isSilentFor: (bulkhead: string, account: AccountId, nowMs: number): boolean =>
        bulkheads.get(bulkhead)?.isSilentFor(account, nowMs) === true
    }
  }
}) {}
