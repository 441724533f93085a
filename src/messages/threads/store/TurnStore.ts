import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Context, Duration, Effect } from "effect"
import type { Holder } from "../../../contract/callers/Caller.ts"
import type { JsonObject } from "../../../contract/fields.ts"
import type { Maker } from "../../../contract/callers/Own.ts"
import { Daemons } from "../../../flow/Daemons.ts"
import { Commits } from "../../../sql/Commits.ts"
import { makeBatchWriter } from "../../../sql/BatchWriter.ts"
import { committing } from "../../../sql/Writes.ts"
import { ofKeys } from "../../../sql/ofKeys.ts"
import { prepare } from "../../../sql/prepare.ts"
import { mostConversationBytes } from "../../../generation/mostBytes.ts"
import { sizes, turns } from "./TurnRow.ts"

/** How long a turn can be continued. */
export class ThreadRetention extends Context.Reference<ThreadRetention>()(
  "gateway/messages/threads/store/ThreadRetention",
  { defaultValue: () => Duration.days(30) }
) {}

/** A question and its answer. */
export interface ThreadTurn {
  /** The id of the answer. */
  readonly id: string
  readonly previousId: string | undefined
  /** The thread's `system` and `tools`, stored with its first turn. */
  readonly setup: JsonObject
  /** The messages of this turn alone. */
  readonly messages: ReadonlyArray<unknown>
  readonly content: ReadonlyArray<unknown>
  readonly stopReason: string
  /** The upstream that stores it too. */
  readonly heldBy: string | undefined
}

/** The conversation up to and including an answer. */
export interface Thread {
  /** The id of its first answer. */
  readonly first: string
  readonly setup: JsonObject
  /** Oldest first, the answer last. */
  readonly messages: ReadonlyArray<unknown>
  /** The answer's stop reason. */
  readonly stopReason: string
  readonly isContinued: boolean
  /** The upstream that can continue from the answer's id. */
  readonly heldBy: string | undefined
}

const columns = [
  "account_id",
  "key_id",
  "id",
  "previous_id",
  "setup",
  "messages",
  "content",
  "stop_reason",
  "held_by",
  "expires_at"
] as const

type NewRow = Readonly<Record<(typeof columns)[number], string | number | null>>

/** Stores the turns of threads of accounts and their people. Ids of others are unknown. */
export class TurnStore extends Effect.Service<TurnStore>()("gateway/messages/threads/store/TurnStore", {
  dependencies: [Daemons.Default],
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const retentionMs = Duration.toMillis(yield* ThreadRetention)

    // If an answer is continued twice, the second continuation is not stored and cannot be continued.
    const add = prepare(
      sql,
      sql`INSERT INTO thread_turns ${sql.insert(Object.fromEntries(columns.map((column) => [column, null])))} ON CONFLICT DO NOTHING`
    )
    const writes = committing(yield* Commits, "durable", (rows: ReadonlyArray<NewRow>) =>
      rows.map((row) => add(columns.map((column) => row[column])))
    )
    const writer = yield* makeBatchWriter("threads", 256, writes)

    /** Resolves once it is durable. A promise, because plain code waits for it. */
    const save = async ({ account, key }: Maker, turn: ThreadTurn, nowMs: number): Promise<void> =>
      writer.write({
        account_id: account,
        key_id: key,
        id: turn.id,
        previous_id: turn.previousId ?? null,
        setup: JSON.stringify(turn.setup),
        messages: JSON.stringify(turn.messages),
        content: JSON.stringify(turn.content),
        stop_reason: turn.stopReason,
        held_by: turn.heldBy ?? null,
        expires_at: nowMs + retentionMs
      })

    /** The thread that ends with an answer; undefined if a part of it is missing. */
    const find = Effect.fnUntraced(function* (
      { account, person }: Holder,
      id: string
    ): Effect.fn.Return<Thread | "too long" | undefined, SqlError> {
      const now = yield* Clock.currentTimeMillis
      const found = yield* sql`
          WITH RECURSIVE chain (id, previous_id, depth, bytes) AS (
            SELECT id, previous_id, 0, octet_length(setup) + octet_length(messages) + octet_length(content)
            FROM thread_turns
            WHERE ${sql.and([sql`account_id = ${account}`, ...ofKeys(sql, person?.keys)])}
              AND id = ${id} AND expires_at > ${now}
            UNION ALL
            SELECT earlier.id, earlier.previous_id, depth + 1,
              bytes + octet_length(setup) + octet_length(messages) + octet_length(content)
            FROM chain JOIN thread_turns AS earlier
              ON earlier.account_id = ${account} AND earlier.id = chain.previous_id
            WHERE earlier.expires_at > ${now} AND bytes <= ${mostConversationBytes}
          )
          SELECT turn.id, turn.previous_id, turn.setup, turn.messages, turn.content, turn.stop_reason, turn.held_by, chain.bytes
          FROM chain JOIN thread_turns AS turn ON turn.account_id = ${account} AND turn.id = chain.id
          ORDER BY depth DESC`
      if ((sizes.first(found)?.bytes ?? 0) > mostConversationBytes) return "too long"
      const all = turns.all(found)
      const [first, last] = [all[0], all.at(-1)]
      // Without this check, a deleted turn would silently cut off all turns before it.
      if (first === undefined || last === undefined || first.previous_id !== null) return undefined
      const next = yield* sql`SELECT 1 FROM thread_turns WHERE account_id = ${account} AND previous_id = ${id}`
      return {
        first: first.id,
        setup: first.setup,
        messages: all.flatMap(({ content, messages }) => [...messages, { role: "assistant", content }]),
        stopReason: last.stop_reason,
        isContinued: next.length > 0,
        heldBy: last.held_by ?? undefined
      }
    }, Effect.orDie)

    /** Removes expired turns. Returns how many. */
    const removeExpired = (atMost: number): Effect.Effect<number, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(
          sql`DELETE FROM thread_turns
            WHERE (account_id, id) IN (
              SELECT account_id, id FROM thread_turns WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${atMost}
            )
            RETURNING id`,
          ({ length }) => length
        )
      )

    return { save, find, removeExpired } as const
  })
}) {}
