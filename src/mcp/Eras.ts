import { Clock, Effect } from "effect"
import { NamedSlots } from "../flow/NamedSlots.ts"

/** The two forms of the protocol: without a handshake since 2026-07-28, and with one before. */
export type Era = "modern" | "legacy"

const rememberedMs = 3_600_000
/** Callers name addresses. */
const mostServers = 1_000

/** Remembers for an hour which form a server speaks, by its key (`keyOf`). */
export class Eras {
  readonly #known = new NamedSlots<{ readonly era: Era; readonly untilMs: number }>()

  at(server: string): Effect.Effect<Era | undefined> {
    return Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const known = this.#known.get(server)
      return known !== undefined && known.untilMs > nowMs ? known.era : undefined
    })
  }

  learn(server: string, era: Era): Effect.Effect<void> {
    return Effect.map(Clock.currentTimeMillis, (nowMs) => {
      this.#known.delete(server)
      this.#known.set(server, { era, untilMs: nowMs + rememberedMs })
      const { oldest, size } = this.#known
      if (size > mostServers && oldest !== undefined) this.#known.delete(oldest)
    })
  }

  forget(server: string): void {
    this.#known.delete(server)
  }
}
