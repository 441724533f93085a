import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Effect } from "effect"
import { Commits } from "../../sql/Commits.ts"

/** Something that a model was served as, or used, at an upstream, and that has no price. */
export interface PriceGap {
  readonly atMs: number
  readonly model: string
  readonly upstream: string
  /** `service_tier=scale`. */
  readonly gap: string
}

const hourMs = 3_600_000
/** Attention looks a day back. */
const keptMs = 7 * 24 * hourMs
/** Upstreams choose the words: further gaps of an hour are in their rows alone. */
const mostOfHour = 100

/** Stores what had no price, once for each hour, for what needs attention. */
export class PriceGaps extends Effect.Service<PriceGaps>()("gateway/ledger/store/PriceGaps", {
  dependencies: [Commits.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    let known: { readonly hour: number; readonly names: Set<string> } = { hour: 0, names: new Set() }

    /** True if this process has not stored it in this hour. */
    const isNew = (hour: number, name: string): boolean => {
      if (known.hour !== hour) known = { hour, names: new Set() }
      if (known.names.has(name) || known.names.size >= mostOfHour) return false
      known.names.add(name)
      return true
    }

    const note = ({ atMs, gap, model, upstream }: PriceGap): Effect.Effect<void, SqlError> => {
      const hour = atMs - (atMs % hourMs)
      if (!isNew(hour, JSON.stringify([model, upstream, gap]))) return Effect.void
      const added = sql`INSERT INTO price_gaps ${sql.insert({ hour, model, upstream, gap, first_at: atMs })}
        ON CONFLICT (hour, model, upstream, gap) DO NOTHING`
      const removed = sql`DELETE FROM price_gaps WHERE hour < ${hour - keptMs}`
      return Effect.asVoid(commits.commit(Effect.zipRight(removed, added), "soon"))
    }

    return { note } as const
  })
}) {}
