import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Context, Duration, Effect, Schema } from "effect"
import type { AccountId, Holder } from "../../contract/callers/Caller.ts"
import { isJsonObject } from "../../contract/fields.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { ownName } from "../../contract/callers/Own.ts"
import { Daemons } from "../../flow/Daemons.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import { makeBatchWriter } from "../../sql/BatchWriter.ts"
import { committing } from "../../sql/Writes.ts"
import { prepare } from "../../sql/prepare.ts"

/** How long signatures are kept since their last use, so that a running agent loop keeps its own. */
export class ReasoningSignatureRetention extends Context.Reference<ReasoningSignatureRetention>()(
  "gateway/ownership/store/ReasoningSignatureRetention",
  {
    defaultValue: () => Duration.hours(1)
  }
) {}

/** The most signatures of an account; the oldest are deleted first. */
export class ReasoningSignatureBound extends Context.Reference<ReasoningSignatureBound>()(
  "gateway/ownership/store/ReasoningSignatureBound",
  {
    defaultValue: () => 5_000
  }
) {}

/** Reasoning blocks with their signatures, as sent in `reasoning_details`. */
type Details = ReadonlyArray<JsonObject>

type Row = Readonly<Record<"call_id" | "details", string>> & {
  readonly account_id: AccountId
  readonly expires_at: number
}

/**
 * The reasoning of tool calls, for clients that do not send it back although the model requires it in a tool loop. Stored
 * per account and, in it, per person: calls of others are unknown.
 */
export class ReasoningSignatures extends Effect.Service<ReasoningSignatures>()(
  "gateway/ownership/store/ReasoningSignatures",
  {
    dependencies: [Commits.Default, Daemons.Default],
    scoped: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const commits = yield* Commits
      const retentionMs = Duration.toMillis(yield* ReasoningSignatureRetention)
      const bound = yield* ReasoningSignatureBound
      const clock = yield* Effect.clock

      const add = prepare(
        sql,
        sql`INSERT INTO reasoning_seals ${sql.insert({ account_id: "", call_id: "", details: "", expires_at: 0 })}
        ON CONFLICT (account_id, call_id) DO UPDATE SET details = excluded.details, expires_at = excluded.expires_at`
      )

      /** Deletes an account's signatures beyond the bound. */
      const shorten = prepare(
        sql,
        sql`DELETE FROM reasoning_seals WHERE account_id = ${""} AND expires_at <= (
        SELECT expires_at FROM reasoning_seals WHERE account_id = ${""}
        ORDER BY expires_at DESC LIMIT 1 OFFSET ${bound}
      )`
      )

      const writes = committing(commits, "durable", (added: ReadonlyArray<Row>) => [
        ...added.map((row) => add([row.account_id, row.call_id, row.details, row.expires_at])),
        ...Array.from(new Set(added.map(({ account_id }) => account_id)), (account) =>
          shorten([account, account, bound])
        )
      ])
      const writer = yield* makeBatchWriter("reasoningSignatures", 256, writes)

      /** Stores the reasoning of a call; resolves once it is durable. Too long reasoning is not stored. */
      const save = async (holder: Holder, callId: string, details: Details): Promise<void> => {
        const text = JSON.stringify(details)
        if (text.length > longest || callId.length > longestId) return undefined
        const expires_at = clock.unsafeCurrentTimeMillis() + retentionMs
        return writer.write({
          account_id: holder.account,
          call_id: ownName(holder, callId),
          details: text,
          expires_at
        })
      }

      /** The stored reasoning of these calls; extends its expiry. */
      const find = Effect.fnUntraced(function* (
        holder: Holder,
        callIds: ReadonlyArray<string>
      ): Effect.fn.Return<ReadonlyMap<string, Details>, SqlError> {
        const now = yield* Clock.currentTimeMillis
        const names = new Map(callIds.slice(-mostAtOnce).map((id) => [ownName(holder, id), id]))
        const those = sql`account_id = ${holder.account} AND ${sql.in("call_id", [...names.keys()])} AND expires_at > ${now}`
        const found = seals.all(yield* sql`SELECT call_id, details, expires_at FROM reasoning_seals WHERE ${those}`)
        // Not on every turn of a loop.
        const isLate = found.some(({ expires_at }) => expires_at < now + retentionMs / 2)
        if (isLate) {
          yield* commits.commit(
            sql`UPDATE reasoning_seals SET expires_at = ${now + retentionMs} WHERE ${those}`,
            "soon"
          )
        }
        return new Map(found.map(({ call_id, details }) => [names.get(call_id) ?? call_id, details]))
      }, Effect.orDie)

      /** Deletes up to `atMost` expired signatures; returns their number. */
      const removeExpired = (atMost: number): Effect.Effect<number, SqlError> =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          Effect.map(
            sql`DELETE FROM reasoning_seals
            WHERE (account_id, call_id) IN (
              SELECT account_id, call_id FROM reasoning_seals
              WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${atMost}
            )
            RETURNING call_id`,
            ({ length }) => length
          )
        )

      return { save, find, removeExpired } as const
    })
  }
) {}

/** Characters; far more than a model's reasoning before a call. */
const longest = 256 * 1024
const longestId = 256
/** The most calls of one request to look up, from the latest. */
const mostAtOnce = 1_000

const Objects = Schema.declare(
  (value: unknown): value is Details => Array.isArray(value) && value.every(isJsonObject)
).annotations({ identifier: "objects" })

const seals = rows("reasoning_seals", {
  call_id: Schema.String,
  details: Schema.parseJson(Objects),
  expires_at: Schema.Number
})
