import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Duration, Effect, Layer, Option, Schedule, Schema } from "effect"
import { daemon } from "../../flow/daemon.ts"
import { Daemons } from "../../flow/Daemons.ts"
import { backoff } from "../../flow/schedules.ts"
import type { AccountId } from "../../contract/callers/Caller.ts"
import { Conflict } from "../../contract/failures/Failure.ts"
import { Commits } from "../../sql/Commits.ts"
import { isRefused } from "../../sql/isRefused.ts"
import { Bytes, rows } from "../../sql/decode.ts"
import { PendingAnswers } from "../PendingAnswers.ts"

/** A request with a key; keys are unique per account and endpoint. */
export interface Ask {
  readonly account: AccountId
  readonly endpoint: string
  readonly key: string
  /** SHA-256 of the request's body, hex. */
  readonly bodyHash: string
  /** The claim's token among nodes; storing the answer removes the claim. */
  readonly claim?: string
  /** Removes what the work left that only a later run would need, in the transaction that stores the answer. */
  readonly behind?: Effect.Effect<unknown, SqlError> | undefined
}

/** A stored answer. */
export interface KeptAnswer {
  readonly status: number
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

const lifetimeMs = Duration.toMillis("24 hours")
const patience = Schedule.spaced("100 millis").pipe(Schedule.upTo("10 seconds"))
/** Rows per deletion, few enough not to delay requests. */
const atOnce = 100

/** The stored answers of requests with an `Idempotency-Key`, for 24 hours. */
export class KeptAnswers extends Effect.Service<KeptAnswers>()("gateway/idempotency/store/KeptAnswers", {
  dependencies: [Commits.Default, PendingAnswers.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const waiting = yield* PendingAnswers

    /** The answer to an earlier request with this key. Fails if that had another body. */
    const find = Effect.fnUntraced(function* (
      ask: Ask
    ): Effect.fn.Return<Option.Option<KeptAnswer>, Conflict | SqlError> {
      const sinceMs = (yield* Clock.currentTimeMillis) - lifetimeMs
      const row = keptAnswers.first(
        yield* sql`SELECT body_hash, status, content_type, answer FROM kept_answers
            WHERE account_id = ${ask.account} AND endpoint = ${ask.endpoint} AND idempotency_key = ${ask.key}
            AND at > ${sinceMs}`
      )
      if (row === undefined) return Option.none()
      if (row.body_hash !== ask.bodyHash) return yield* otherBody
      return Option.some({ status: row.status, contentType: row.content_type, bytes: row.answer })
    })

    /**
     * Stores an answer in the caller's transaction. Fails, which rolls the transaction back, if another request's answer is
     * already stored: one whose client had left but that finished nevertheless.
     */
    const keep = Effect.fnUntraced(function* (
      ask: Ask,
      answer: KeptAnswer
    ): Effect.fn.Return<void, Conflict | SqlError> {
      if (ask.claim !== undefined) {
        // A reaped node has lost its claim, and another node may be answering.
        const spent = yield* sql`DELETE FROM idempotency_claims WHERE token = ${ask.claim} RETURNING token`
        if (spent.length === 0) return yield* justAnswered
        yield* commits.afterCommit(() => waiting.tell(ask))
      }
      const at = yield* Clock.currentTimeMillis
      const kept = yield* sql`INSERT INTO kept_answers ${sql.insert({
        account_id: ask.account,
        endpoint: ask.endpoint,
        idempotency_key: ask.key,
        body_hash: ask.bodyHash,
        status: answer.status,
        content_type: answer.contentType,
        answer: answer.bytes,
        at
      })} ON CONFLICT (account_id, endpoint, idempotency_key) DO UPDATE SET body_hash = excluded.body_hash,
          status = excluded.status, content_type = excluded.content_type, answer = excluded.answer, at = excluded.at
          WHERE kept_answers.at <= ${at - lifetimeMs} RETURNING id`
      if (kept.length === 0) return yield* justAnswered
      if (ask.behind !== undefined) yield* ask.behind
    })

    /** Deletes an answer in the caller's transaction. */
    const forget = (ask: Ask): Effect.Effect<void, SqlError> =>
      Effect.asVoid(sql`DELETE FROM kept_answers WHERE idempotency_key = ${ask.key} AND body_hash = ${ask.bodyHash}
        AND endpoint = ${ask.endpoint} AND account_id = ${ask.account}`)

    const keepOnce = (ask: Ask, answer: KeptAnswer) => commits.commit(keep(ask, answer))

    /** Succeeds if this very answer is stored, because an earlier commit's confirmation was lost. */
    const keptBefore = (ask: Ask, { bytes }: KeptAnswer) =>
      Effect.filterOrFail(
        find(ask),
        (found) => Option.isSome(found) && Buffer.compare(found.value.bytes, bytes) === 0,
        () => justAnswered
      )

    /** Retries for a short database outage, because an answer that is not stored would be made and paid for twice. */
    const keepPatiently = (ask: Ask, answer: KeptAnswer): Effect.Effect<void, Conflict | SqlError> =>
      Effect.catchTag(keepOnce(ask, answer), "SqlError", (error) =>
        isRefused(error)
          ? Effect.fail(error)
          : Effect.retry(
              Effect.catchTag(keepOnce(ask, answer), "Conflict", () => Effect.asVoid(keptBefore(ask, answer))),
              { schedule: patience, while: (again) => again._tag === "SqlError" && !isRefused(again) }
            )
      )

    /** Stores an answer in its own write, which may share a commit with others. */
    const keepAlone = sql.onDialectOrElse({ pg: () => keepPatiently, orElse: () => keepOnce })

    /** Deletes a batch of expired answers; returns their number. */
    const purge: Effect.Effect<number, SqlError> = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Effect.map(
        commits.commit(sql`DELETE FROM kept_answers WHERE id IN (SELECT id FROM kept_answers
          WHERE at <= ${nowMs - lifetimeMs} ORDER BY at LIMIT ${atOnce}) RETURNING id`),
        (rows) => rows.length
      )
    )

    return { find, keep, forget, keepAlone, purge } as const
  })
}) {}

/** Reaper of expired answers. */
export const KeptAnswersExpiry = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { purge } = yield* KeptAnswers
    const pass = Effect.map(purge, (removed) => Effect.sleep(removed === atOnce ? "50 millis" : "1 minute"))
    yield* daemon("keptAnswers", pass, backoff)
  })
).pipe(Layer.provide([KeptAnswers.Default, Daemons.Default]))

const keptAnswers = rows("kept_answers", {
  body_hash: Schema.String,
  status: Schema.Int,
  content_type: Schema.String,
  answer: Bytes
})

export const otherBody = new Conflict({
  message: "Idempotency-Key: this key was used with another request body; a new request needs a new key",
  code: null
})

const justAnswered = new Conflict({
  message:
    "Idempotency-Key: an earlier request with this key has just been answered; send this one again to get its answer",
  code: null
})
