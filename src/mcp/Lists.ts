import { Clock, Effect } from "effect"
import { NamedSlots } from "../flow/NamedSlots.ts"
import { keyOf } from "./keyOf.ts"
import type { McpList, McpServer } from "./McpServer.ts"

const longestMs = 3_600_000
/** The most of all lists, in bytes as they came. */
const mostBytes = 32 * 1_048_576

interface CachedList {
  readonly list: McpList
  readonly untilMs: number
  readonly bytes: number
}

/**
 * Keeps the lists of servers, each for the credentials that it was made for: a list that its server calls public is not
 * shared either, since credentials of callers that are wrong would get it.
 */
export class Lists {
  readonly #kept = new NamedSlots<CachedList>()
  #bytes = 0

  get(server: McpServer): Effect.Effect<McpList | undefined> {
    return Effect.map(Clock.currentTimeMillis, (nowMs) => {
      const kept = this.#kept.get(keyOf(server))
      return kept !== undefined && kept.untilMs > nowMs ? kept.list : undefined
    })
  }

  /** @param ttlMs the time that the server names, 0 for none */
  keep(server: McpServer, list: McpList, bytes: number, ttlMs: number): Effect.Effect<void> {
    const ms = Math.min(longestMs, ttlMs > 0 ? ttlMs : server.listMs)
    if (ms === 0) return Effect.void
    return Effect.map(Clock.currentTimeMillis, (nowMs) => {
      this.drop(server)
      this.#kept.set(keyOf(server), { list, untilMs: nowMs + ms, bytes })
      this.#bytes += bytes
      for (let { oldest } = this.#kept; this.#bytes > mostBytes && oldest !== undefined; { oldest } = this.#kept) {
        this.#remove(oldest)
      }
    })
  }

  drop(server: McpServer): void {
    this.#remove(keyOf(server))
  }

  /** Forgets all lists, after the configuration has changed. */
  clear(): void {
    for (let { oldest } = this.#kept; oldest !== undefined; { oldest } = this.#kept) this.#remove(oldest)
  }

  #remove(key: string): void {
    const kept = this.#kept.get(key)
    if (kept === undefined) return
    this.#kept.delete(key)
    this.#bytes -= kept.bytes
  }
}
