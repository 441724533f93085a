import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Duration, Effect, Layer, Option, Schedule } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { Conflict } from "../contract/Failure.ts"
import { Commits } from "../sql/Commits.ts"

/** What the same key means the same request for: an account's calls of one endpoint. */
export interface Ask {
  readonly account: AccountId
  readonly endpoint: string
  readonly key: string
  /** SHA-256 of the request's body, hex. */
  readonly bodyHash: string
}

/** An answer as it was sent. */
export interface KeptAnswer {
  readonly status: number
  readonly contentType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** How long an answer is kept. */
const lifetimeMs = Duration.toMillis("24 hours")
/** Rows that one delete removes: a small one lets requests in between. */
const atOnce = 100

const backoff = Schedule.exponential("1 second").pipe(Schedule.union(Schedule.spaced("1 minute")), Schedule.jittered)

/** The answers of the last 24 hours that came with an `Idempotency-Key`. */
export class KeptAnswers extends Effect.Service<KeptAnswers>()("gateway/idempotency/KeptAnswers", {
  dependencies: [Commits.Default],
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits

    /** The answer to an earlier request with this key. Fails where that had another body. */
    const find = (ask: Ask): Effect.Effect<Option.Option<KeptAnswer>, Conflict | SqlError> =>
      Effect.gen(function* () {
        const sinceMs = (yield* Clock.currentTimeMillis) - lifetimeMs
        const [row] = yield* sql<Row>`SELECT body_hash, status, content_type, answer FROM kept_answers
          WHERE account_id = ${ask.account} AND endpoint = ${ask.endpoint} AND idempotency_key = ${ask.key}
          AND at > ${sinceMs}`
        if (row === undefined) return Option.none()
        if (row.body_hash !== ask.bodyHash) return yield* otherBody
        return Option.some({ status: row.status, contentType: row.content_type, bytes: row.answer })
      })

    /**
     * Keeps an answer, inside the transaction of whoever runs it. Fails, and so undoes that transaction, where another
     * request's answer is kept already: one that its client had left, and that came to its end nevertheless.
     */
    const keep = (ask: Ask, answer: KeptAnswer): Effect.Effect<void, Conflict | SqlError> =>
      Effect.gen(function* () {
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

    /** Keeps an answer in a commit of its own, shared with other writes of the moment. */
    const keepAlone = (ask: Ask, answer: KeptAnswer) => commits.write(keep(ask, answer))

    /** Removes some of what is too old; answers how many there were. */
    const purge: Effect.Effect<number, SqlError> = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      Effect.map(
        commits.statement(sql`DELETE FROM kept_answers WHERE id IN (SELECT id FROM kept_answers
          WHERE at <= ${nowMs - lifetimeMs} ORDER BY at LIMIT ${atOnce}) RETURNING id`),
        (rows) => rows.length
      )
    )

    return { find, keep, keepAlone, purge } as const
  })
}) {}

/** Removes what is too old, for as long as the scope lives. */
export const KeptAnswersExpiry = Layer.scopedDiscard(
  Effect.gen(function* () {
    const { purge } = yield* KeptAnswers
    yield* purge.pipe(
      Effect.flatMap((removed) => Effect.sleep(removed === atOnce ? "50 millis" : "1 minute")),
      Effect.tapErrorCause((cause) => Effect.logWarning("kept answers were not purged", cause)),
      Effect.retry(backoff),
      Effect.forever,
      Effect.annotateLogs({ fiber: "keptAnswers" }),
      Effect.forkScoped
    )
  })
).pipe(Layer.provide(KeptAnswers.Default))

interface Row {
  readonly body_hash: string
  readonly status: number
  readonly content_type: string
  readonly answer: Uint8Array<ArrayBuffer>
}

export const otherBody = new Conflict({
  message: "Idempotency-Key: this key was used with another request body; a new request needs a new key",
  code: null
})

const justAnswered = new Conflict({
  message: "Idempotency-Key: an earlier request with this key has just been answered; send this one again to read it",
  code: null
})
