import { Clock, Effect } from "effect"
import { NamedSlots } from "../flow/NamedSlots.ts"

/** The two forms of the protocol: without a handshake since 2026-07-28, and with one before. */
export type Era = "modern" | "legacy"

const rememberedMs = 3_600_000
/** Callers name addresses. */
const mostAddresses = 1_000

/** Remembers for an hour which form an address speaks. */
export class Eras {
  readonly #known = new NamedSlots<{ readonly era: Era; readonly untilMs: number }>()

  at(url: string): Effect.Effect<Era | undefined> {
    return Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const known = this.#known.get(url)
      return known !== undefined && known.untilMs > nowMs ? known.era : undefined
    })
  }

  learn(url: string, era: Era): Effect.Effect<void> {
    return Effect.map(Clock.currentTimeMillis, (nowMs) => {
      this.#known.delete(url)
      this.#known.set(url, { era, untilMs: nowMs + rememberedMs })
      const { oldest, size } = this.#known
      if (size > mostAddresses && oldest !== undefined) this.#known.delete(oldest)
    })
  }

  forget(url: string): void {
    this.#known.delete(url)
  }
}
