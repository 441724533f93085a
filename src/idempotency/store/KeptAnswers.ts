import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Duration, Effect, Layer, Option, Schedule, Schema } from "effect"
import { daemon } from "../../flow/daemon.ts"
import { Daemons } from "../../flow/Daemons.ts"
import { backoff } from "../../flow/schedules.ts"
import type { AccountId } from "../../contract/Caller.ts"
import { Conflict } from "../../contract/Failure.ts"
import { Commits } from "../../sql/Commits.ts"
import { isRefused } from "../../sql/isRefused.ts"
import { Bytes, rows } from "../../sql/decode.ts"
import { PendingAnswers } from "../PendingAnswers.ts"

/** What the same key means the same request for: an account's calls of one endpoint. */
export interface Ask {
  readonly account: AccountId
  readonly endpoint: string
  readonly key: string
  /** SHA-256 of the request's body, hex. */
  readonly bodyHash: string
  /** Among nodes: the right to answer it, which goes with the answer's storing. */
  readonly claim?: string
}

/** An answer as it was sent. */
export interface KeptAnswer {
  readonly status: number
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** How long an answer is kept. */
const lifetimeMs = Duration.toMillis("24 hours")
const patience = Schedule.spaced("100 millis").pipe(Schedule.upTo("10 seconds"))
/** Rows that one delete removes: a small one lets requests in between. */
const atOnce = 100

/** The answers of the last 24 hours that came with an `Idempotency-Key`. */
export class KeptAnswers extends Effect.Service<KeptAnswers>()("gateway/idempotency/store/KeptAnswers", {
  dependencies: [Commits.Default, PendingAnswers.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const waiting = yield* PendingAnswers

    /** The answer to an earlier request with this key. Fails where that had another body. */
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
     * Keeps an answer, inside the transaction of whoever runs it. Fails, and so undoes that transaction, where another
     * request's answer is kept already: one that its client had left, and that came to its end nevertheless.
     */
    const keep = Effect.fnUntraced(function* (
      ask: Ask,
      answer: KeptAnswer
    ): Effect.fn.Return<void, Conflict | SqlError> {
      if (ask.claim !== undefined) {
        // A node that was taken for dead has it no more: another may be about to answer.
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
    })

    /** Forgets an answer, inside the transaction of whoever runs it. */
    const forget = (ask: Ask): Effect.Effect<void, SqlError> =>
      Effect.asVoid(sql`DELETE FROM kept_answers WHERE idempotency_key = ${ask.key} AND body_hash = ${ask.bodyHash}
        AND endpoint = ${ask.endpoint} AND account_id = ${ask.account}`)

    const keepOnce = (ask: Ask, answer: KeptAnswer) => commits.write(keep(ask, answer))

    /** What is there already may be this very answer: its commit was not heard of. */
    const keptBefore = (ask: Ask, { bytes }: KeptAnswer) =>
      Effect.filterOrFail(
        find(ask),
        (found) => Option.isSome(found) && Buffer.compare(found.value.bytes, bytes) === 0,
        () => justAnswered
      )

    /** A server that is away for a moment is waited for: an answer that is not kept would be made, and paid for, twice. */
    const keepPatiently = (ask: Ask, answer: KeptAnswer): Effect.Effect<void, Conflict | SqlError> =>
      Effect.catchTag(keepOnce(ask, answer), "SqlError", (error) =>
        isRefused(error)
          ? Effect.fail(error)
          : Effect.retry(
              Effect.catchTag(keepOnce(ask, answer), "Conflict", () => Effect.asVoid(keptBefore(ask, answer))),
              { schedule: patience, while: (again) => again._tag === "SqlError" && !isRefused(again) }
            )
      )

    /** Keeps an answer in a commit of its own, shared with other writes of the moment. */
    const keepAlone = sql.onDialectOrElse({ pg: () => keepPatiently, orElse: () => keepOnce })

    /** Removes some of what is too old; answers how many there were. */
    const purge: Effect.Effect<number, SqlError> = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Effect.map(
        commits.statement(sql`DELETE FROM kept_answers WHERE id IN (SELECT id FROM kept_answers
          WHERE at <= ${nowMs - lifetimeMs} ORDER BY at LIMIT ${atOnce}) RETURNING id`),
        (rows) => rows.length
      )
    )

    return { find, keep, forget, keepAlone, purge } as const
  })
}) {}

/** Removes what is too old, for as long as the scope lives. */
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
  message: "Idempotency-Key: an earlier request with this key has just been answered; send this one again to read it",
  code: null
})
