import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Context, Duration, Effect, Schema } from "effect"
import type { Holder } from "../../contract/callers/Caller.ts"
import type { Maker } from "../../contract/callers/Own.ts"
import { InvalidRequest, NotFound } from "../../contract/failures/Failure.ts"
import { isJsonObject } from "../../contract/fields.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { shorten } from "../../contract/text/shorten.ts"
import { Daemons } from "../../flow/Daemons.ts"
import { nextTurn } from "../../flow/eventLoop.ts"
import { makeBatchWriter } from "../../sql/BatchWriter.ts"
import { Commits } from "../../sql/Commits.ts"
import { rows } from "../../sql/decode.ts"
import { ofKeys } from "../../sql/ofKeys.ts"
import { prepare } from "../../sql/prepare.ts"
import { committing } from "../../sql/Writes.ts"

/** How long chat completions are kept. */
export class CompletionRetention extends Context.Reference<CompletionRetention>()(
  "gateway/chat/store/CompletionRetention",
  { defaultValue: () => Duration.days(30) }
) {}

export type Metadata = Readonly<Record<string, string>>

/** A completion to store, with the messages that it answers. */
export interface NewCompletion {
  readonly id: string
  readonly model: string
  readonly metadata: Metadata
  readonly completion: JsonObject
  readonly messages: ReadonlyArray<unknown>
}

/** A page of a list. A completion is on it if it has the model and all pairs of the metadata. */
export interface CompletionQuery {
  readonly model?: string | undefined
  readonly metadata: Metadata
  readonly after?: string | undefined
  readonly limit: number
  readonly order: "asc" | "desc"
}

interface Page {
  readonly completions: ReadonlyArray<StoredCompletion>
  readonly hasMore: boolean
}

/** Chat completions of accounts and their people. Those of others are unknown. */
export class StoredCompletions extends Effect.Service<StoredCompletions>()("gateway/chat/store/StoredCompletions", {
  dependencies: [Commits.Default, Daemons.Default],
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const clock = yield* Effect.clock
    const retentionMs = Duration.toMillis(yield* CompletionRetention)

    const insert = prepare(sql, sql`INSERT INTO chat_completions ${sql.insert(anyRow)} ON CONFLICT (id) DO NOTHING`)
    const writer = yield* makeBatchWriter(
      "chatCompletions",
      256,
      committing(commits, "durable", (added: ReadonlyArray<typeof anyRow>) =>
        added.map((row) => insert(Object.values(row)))
      )
    )

    /** The completions that a holder reaches. */
    const reached = ({ account, person }: Holder, nowMs: number) =>
      sql.and([sql`account_id = ${account}`, ...ofKeys(sql, person?.keys), sql`expires_at > ${nowMs}`])

    /** Resolves once it is durable. A promise, because plain code waits for it. */
    const save = async ({ account, key }: Maker, given: NewCompletion): Promise<void> => {
      const now = clock.unsafeCurrentTimeMillis()
      return writer.write({
        id: given.id,
        account_id: account,
        key_id: key,
        model: given.model,
        created_at: now,
        expires_at: now + retentionMs,
        metadata: JSON.stringify(given.metadata),
        completion: JSON.stringify(given.completion),
        messages: JSON.stringify(given.messages)
      })
    }

    const find = (holder: Holder, id: string): Effect.Effect<StoredCompletion, NotFound> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.flatMap(
          Effect.orDie(sql`SELECT ${shownColumns} FROM chat_completions WHERE id = ${id} AND ${reached(holder, now)}`),
          firstOr(id)
        )
      )

    const update = (holder: Holder, id: string, metadata: Metadata): Effect.Effect<StoredCompletion, NotFound> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.flatMap(
          Effect.orDie(
            commits.commit(
              sql`UPDATE chat_completions SET metadata = ${JSON.stringify(metadata)}
                WHERE id = ${id} AND ${reached(holder, now)} RETURNING ${shownColumns}`
            )
          ),
          firstOr(id)
        )
      )

    const remove = (holder: Holder, id: string): Effect.Effect<void, NotFound> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.flatMap(
          Effect.orDie(
            commits.commit(sql`DELETE FROM chat_completions WHERE id = ${id} AND ${reached(holder, now)} RETURNING id`)
          ),
          ({ length }) => (length === 0 ? Effect.fail(unknownCompletion(id)) : Effect.void)
        )
      )

    /** The messages that a completion answers. */
    const messages = (holder: Holder, id: string): Effect.Effect<ReadonlyArray<JsonObject>, NotFound> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.flatMap(
          Effect.orDie(sql`SELECT messages FROM chat_completions WHERE id = ${id} AND ${reached(holder, now)}`),
          (found) => {
            const row = asked.first(found)
            return row === undefined ? Effect.fail(unknownCompletion(id)) : Effect.succeed(row.messages)
          }
        )
      )

    const shownColumns = sql.literal("id, model, created_at, metadata, completion")

    /** The next rows of a list, without their long columns. */
    const outlines = Effect.fnUntraced(function* (
      holder: Holder,
      { model, order }: CompletionQuery,
      from: Place | undefined,
      limit: number
    ) {
      const now = yield* Clock.currentTimeMillis
      const place = sql`(created_at, id)`
      const start = from && sql`(${from.created_at}, ${from.id})`
      const conditions = [
        reached(holder, now),
        ...(model === undefined ? [] : [sql`model = ${model}`]),
        ...(start === undefined ? [] : [order === "asc" ? sql`${place} > ${start}` : sql`${place} < ${start}`])
      ]
      const way = sql.literal(order === "asc" ? "ASC" : "DESC")
      const found = yield* sql`SELECT id, created_at, metadata, octet_length(completion) AS bytes FROM chat_completions
        WHERE ${sql.and(conditions)} ORDER BY created_at ${way}, id ${way} LIMIT ${limit}`
      return places.all(found)
    }, Effect.orDie)

    /** One page. Rows are read in slices, so that a filter that few have holds up no other request. */
    const list = Effect.fnUntraced(function* (
      holder: Holder,
      query: CompletionQuery
    ): Effect.fn.Return<Page, InvalidRequest> {
      const { after, limit, metadata } = query
      const wanted = Object.entries(metadata)
      const slice = wanted.length === 0 && query.model === undefined ? limit + 1 : rowsAtOnce
      let from: Place | undefined = after === undefined ? undefined : yield* placeOf(holder, after)
      const ids: Array<string> = []
      let bytes = 0
      let hasMore = false
      for (;;) {
        const some: ReadonlyArray<Place> = yield* outlines(holder, query, from, slice)
        for (const row of some) {
          if (!wanted.every(([key, value]) => Object.hasOwn(row.metadata, key) && row.metadata[key] === value)) continue
          bytes += row.bytes
          hasMore = ids.length === limit || (bytes > mostPageBytes && ids.length > 0)
          if (hasMore) break
          ids.push(row.id)
        }
        from = some.at(-1)
        if (hasMore || some.length < slice) break
        yield* Effect.promise(nextTurn)
      }
      if (ids.length === 0) return { completions: [], hasMore: false }
      const found = yield* Effect.orDie(
        sql`SELECT ${shownColumns} FROM chat_completions WHERE ${sql.in("id", ids)} AND account_id = ${holder.account}`
      )
      const byId = new Map(completions.all(found).map((row) => [row.id, row]))
      return { completions: ids.flatMap((id) => byId.get(id) ?? []), hasMore }
    })

    const placeOf = (holder: Holder, after: string) =>
      Effect.mapError(
        find(holder, after),
        () => new InvalidRequest({ param: "after", message: "after: expected the id of a stored chat completion" })
      ).pipe(Effect.map(({ created_at, id }): Place => ({ id, created_at, metadata: {}, bytes: 0 })))

    /** Deletes up to `atMost` expired completions; returns their number. */
    const removeExpired = (atMost: number): Effect.Effect<number, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(
          sql`DELETE FROM chat_completions
            WHERE id IN (SELECT id FROM chat_completions WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${atMost})
            RETURNING id`,
          ({ length }) => length
        )
      )

    return { save, find, update, remove, messages, list, removeExpired } as const
  })
}) {}

/** Rows of a filtered list that are read at once. */
const rowsAtOnce = 500

/** The most bytes of completions on a page, beyond its first. */
const mostPageBytes = 16 * 1_048_576

const unknownCompletion = (id: string) =>
  new NotFound({ param: null, message: `Chat completion with id '${shorten(id)}' not found.` })

const firstOr =
  (id: string) =>
  (found: ReadonlyArray<unknown>): Effect.Effect<StoredCompletion, NotFound> => {
    const row = completions.first(found)
    return row === undefined ? Effect.fail(unknownCompletion(id)) : Effect.succeed(row)
  }

/** An example row, for the names and the order of the columns. */
const anyRow = {
  id: "",
  account_id: "",
  key_id: "",
  model: "",
  created_at: 0,
  expires_at: 0,
  metadata: "",
  completion: "",
  messages: ""
}

/** Only the outline is checked, because an upstream may have written it. */
const Outline = Schema.declare(isJsonObject).annotations({ identifier: "an object" })
const Outlines = Schema.declare(
  (value: unknown): value is ReadonlyArray<JsonObject> => Array.isArray(value) && value.every(isJsonObject)
).annotations({ identifier: "messages" })
const Pairs = Schema.parseJson(Schema.Record({ key: Schema.String, value: Schema.String }))

const completions = rows("chat_completions", {
  id: Schema.String,
  model: Schema.String,
  created_at: Schema.Int,
  metadata: Pairs,
  completion: Schema.parseJson(Outline)
})
export type StoredCompletion = ReturnType<typeof completions.one>

const asked = rows("chat_completions", { messages: Schema.parseJson(Outlines) })

const places = rows("chat_completions", {
  id: Schema.String,
  created_at: Schema.Int,
  metadata: Pairs,
  bytes: Schema.Int
})
type Place = ReturnType<typeof places.one>
