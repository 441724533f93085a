import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Duration, Effect } from "effect"
import type { Holder } from "../../contract/callers/Caller.ts"
import type { InvalidRequest, NotFound } from "../../contract/failures/Failure.ts"
import type { Maker } from "../../contract/callers/Own.ts"
import { Daemons } from "../../flow/Daemons.ts"
import { Commits } from "../../sql/Commits.ts"
import { makeBatchWriter } from "../../sql/BatchWriter.ts"
import { aheadOf, prepare } from "../../sql/prepare.ts"
import { ofKeys } from "../../sql/ofKeys.ts"
import { committing } from "../../sql/Writes.ts"
import type { Include } from "../encoding.ts"
import { asSent } from "../../storedFiles/fileParts.ts"
import { responseIdOf } from "../ids.ts"
import type { InputItem, StoredItem } from "../InputItem.ts"
import type { OutputItem, ResponseObject, ResponseStatus } from "../ResponseObject.ts"
import { mostConversationBytes } from "../../generation/mostBytes.ts"
import { responseWriter } from "./responseWriter.ts"
import type { NewRow } from "./responseWriter.ts"
import { ConversationStore } from "./ConversationStore.ts"
import { ResponseRetention } from "./ResponseRetention.ts"
import { inputs, replays, responses, sizes, standings } from "./ResponseRow.ts"
import type { Replay } from "./ResponseRow.ts"
import { makeResolve } from "./makeResolve.ts"
import { tooLong, unfinishedPrevious, unknownPrevious, unknownResponse } from "./refusals.ts"

/** An ended response, with everything needed to read and continue it. */
export interface StoredResponse {
  readonly response: ResponseObject
  /** Its own input with references resolved, without the earlier conversation. */
  readonly input: ReadonlyArray<StoredItem>
  /** Its output, with the parts that only a replay may see. */
  readonly output: ReadonlyArray<OutputItem>
  readonly include: Include
}

/** A conversation up to a response. */
export interface History {
  /** The id of its first response. */
  readonly first: string
  readonly items: ReadonlyArray<InputItem>
}

/** An ended response, to be written. */
type Ended = Omit<StoredResponse, "input"> & { readonly input: ReadonlyArray<InputItem> }

/** The right to add to a conversation. */
interface Held {
  readonly conversation: string
  readonly token: string
}

interface Added {
  readonly row: NewRow
  /** Items with an upstream's ids, which do not tell the response that they belong to. */
  readonly foreign: ReadonlyArray<Readonly<Record<"account_id" | "item_id" | "response_id", string>>>
}

/** Stores conversations of accounts and their people. Ids of others are unknown. */
export class ResponseStore extends Effect.Service<ResponseStore>()("gateway/responses/store/ResponseStore", {
  dependencies: [Daemons.Default, ConversationStore.Default],
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const conversations = yield* ConversationStore
    const retentionMs = Duration.toMillis(yield* ResponseRetention)

    const inserting = responseWriter(sql)

    const insertItem = prepare(
      sql,
      sql`INSERT INTO response_items ${sql.insert({ account_id: "", item_id: "", response_id: "" })} ON CONFLICT DO NOTHING`
    )

    const statements = (added: ReadonlyArray<Added>) => [
      ...inserting(added.map(({ row }) => row)),
      ...added.flatMap(({ foreign }) =>
        foreign.map(({ account_id, item_id, response_id }) => insertItem([account_id, item_id, response_id]))
      )
    ]
    const writer = yield* makeBatchWriter("responses", 256, committing(commits, "durable", statements))

    /** The input of a row. That of a background response is in a row of its own. */
    const input = sql`COALESCE(
      (SELECT response_inputs.input FROM response_inputs WHERE response_id = responses.id), responses.input)`
    const inputBytes = sql`octet_length(responses.input) + COALESCE(
      (SELECT octet_length(response_inputs.input) FROM response_inputs WHERE response_id = responses.id), 0)`

    /** The responses that a holder reaches. */
    const reached = ({ account, person }: Holder, nowMs: number) =>
      sql.and([sql`account_id = ${account}`, ...ofKeys(sql, person?.keys), sql`expires_at > ${nowMs}`])

    const rowOf = ({ account, key }: Maker, { include, input, output, response }: Ended): NewRow => {
      const createdAt = response.created_at * 1_000
      return {
        id: response.id,
        account_id: account,
        key_id: key,
        previous_id: response.previous_response_id,
        status: response.status,
        response: JSON.stringify({ ...response, output: [] }),
        input: JSON.stringify(input.map(asSent)),
        output: JSON.stringify(output),
        include: JSON.stringify(include),
        created_at: createdAt,
        expires_at: createdAt + retentionMs
      }
    }

    /** Resolves once it is durable. A promise, because plain code waits for it. */
    const save = async (maker: Maker, ended: Ended): Promise<void> =>
      writer.write({ row: rowOf(maker, ended), foreign: foreignOf(maker.account, ended) })

    /** Adds a response to its conversation and stores it, in one commit. One with `store: false` is only added. */
    const saveIn = (maker: Maker, { conversation, token }: Held, ended: Ended): Effect.Effect<void, SqlError> => {
      const { input, output, response } = ended
      const added = { row: rowOf(maker, ended), foreign: foreignOf(maker.account, ended) }
      const addition = { conversation, token, responseId: response.id, input, output }
      return Effect.suspend(() =>
        commits.commit(
          Effect.zipRight(
            aheadOf(() => (response.store ? statements([added]) : [])),
            conversations.extend(addition)
          )
        )
      )
    }

    /** Stores a queued response, in the transaction that stores its task. */
    const queued = (maker: Maker, begun: Ended): Effect.Effect<unknown, SqlError> => {
      const { input, ...row } = rowOf(maker, begun)
      return Effect.zipRight(
        sql`INSERT INTO responses ${sql.insert({ ...row, input: "[]" })}`,
        sql`INSERT INTO response_inputs ${sql.insert({ response_id: row.id, input })}`
      )
    }

    const began = (id: string): Effect.Effect<unknown, SqlError> =>
      sql`UPDATE responses SET status = 'in_progress' WHERE id = ${id}`

    const ended = (account: string, made: Pick<Ended, "response" | "output">): Effect.Effect<unknown, SqlError> =>
      Effect.zipRight(
        sql`UPDATE responses SET ${sql.update({
          status: made.response.status,
          response: JSON.stringify({ ...made.response, output: [] }),
          output: JSON.stringify(made.output)
        })} WHERE id = ${made.response.id}`,
        Effect.forEach(
          foreignOf(account, made),
          (item) => sql`INSERT INTO response_items ${sql.insert(item)} ON CONFLICT DO NOTHING`,
          { discard: true }
        )
      ).pipe(Effect.zipRight(endedIn(made)))

    /** Adds a background response to its conversation, or frees that. */
    const endedIn = Effect.fnUntraced(function* ({
      output,
      response
    }: Pick<Ended, "response" | "output">): Effect.fn.Return<void, SqlError> {
      const { conversation, id } = response
      if (conversation === undefined) return
      if (!isAdded(response)) return void (yield* conversations.giveUp(conversation.id, id))
      const found = inputs.first(yield* sql`SELECT ${input} AS input FROM responses WHERE id = ${id}`)
      yield* conversations.extend({
        conversation: conversation.id,
        token: id,
        responseId: id,
        input: found?.input ?? [],
        output
      })
    })

    /** A response's status; undefined if there is none. */
    const statusOf = (holder: Holder, id: string): Effect.Effect<ResponseStatus | undefined, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(
          sql`SELECT status FROM responses WHERE id = ${id} AND ${reached(holder, now)}`,
          (found) => standings.first(found)?.status
        )
      )

    /** @param hasInput false leaves out the input, which may be long */
    const find = (holder: Holder, id: string, hasInput = true): Effect.Effect<StoredResponse, NotFound> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        sql`SELECT id, previous_id, status, response, ${hasInput ? input : sql`'[]'`} AS input, output, include
          FROM responses WHERE id = ${id} AND ${reached(holder, now)}`.pipe(
          Effect.orDie,
          Effect.flatMap((found) => {
            const row = responses.first(found)
            if (row === undefined) return Effect.fail(unknownResponse(id))
            const { include, input, output, response } = row
            // The stored object of a running response still has its first status.
            const status = row.status === "in_progress" ? row.status : response.status
            return Effect.succeed({ response: { ...response, status, output }, input, output, include })
          })
        )
      )

    const remove = (holder: Holder, id: string): Effect.Effect<void, NotFound> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        commits.commit(sql`DELETE FROM responses WHERE id = ${id} AND ${reached(holder, now)} RETURNING id`).pipe(
          Effect.orDie,
          Effect.flatMap(({ length }) => (length === 0 ? Effect.fail(unknownResponse(id)) : Effect.void))
        )
      )

    /** Input and output of the response and of all that it continues, oldest first, with the id of the first. */
    const history = (holder: Holder, id: string): Effect.Effect<History, InvalidRequest> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        sql`
          WITH RECURSIVE chain (id, previous_id, depth, bytes) AS (
            SELECT id, previous_id, 0, ${inputBytes} + octet_length(output)
            FROM responses WHERE id = ${id} AND ${reached(holder, now)}
            UNION ALL
            SELECT responses.id, responses.previous_id, depth + 1, bytes + ${inputBytes} + octet_length(output)
            FROM chain JOIN responses ON responses.id = chain.previous_id
            WHERE ${reached(holder, now)} AND bytes <= ${mostConversationBytes}
          )
          SELECT responses.id, responses.previous_id, status, ${input} AS input, output, bytes
          FROM chain JOIN responses ON responses.id = chain.id
          ORDER BY depth DESC`.pipe(
          Effect.orDie,
          Effect.flatMap((found) => {
            if ((sizes.first(found)?.bytes ?? 0) > mostConversationBytes) return Effect.fail(tooLong)
            const rows = replays.all(found)
            const last = rows.at(-1)
            if (last === undefined || last.status === "failed" || last.status === "cancelled") {
              return Effect.fail(unknownPrevious(id))
            }
            if (last.status === "queued" || last.status === "in_progress") return Effect.fail(unfinishedPrevious(id))
            // Without this check, a deleted response would silently cut off all before it.
            const { id: first, previous_id: missing } = rows[0] ?? last
            if (missing) return Effect.fail(unknownPrevious(missing))
            return Effect.succeed({ first, items: rows.flatMap(replayed) })
          })
        )
      )

    const resolve = makeResolve(sql, { reached, input, inputBytes })

    /** Removes expired responses. Returns how many. */
    const removeExpired = (atMost: number): Effect.Effect<number, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(
          sql`DELETE FROM responses
            WHERE id IN (SELECT id FROM responses WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${atMost})
            RETURNING id`,
          ({ length }) => length
        )
      )

    return {
      conversations,
      save,
      saveIn,
      queued,
      began,
      ended,
      statusOf,
      find,
      remove,
      history,
      resolve,
      removeExpired
    } as const
  })
}) {}

/** True if a response becomes part of its conversation: it ended, and not by a failure. */
export const isAdded = ({ status }: Pick<ResponseObject, "status">): boolean =>
  status === "completed" || status === "incomplete"

/** Items whose ids do not tell their response. */
const foreignOf = (account: string, { output, response }: Pick<Ended, "response" | "output">): Added["foreign"] =>
  output.flatMap((item) =>
    responseIdOf(item.id) === response.id ? [] : [{ account_id: account, item_id: item.id, response_id: response.id }]
  )

/** An earlier response as the model sees it, without incomplete calls, which it could not continue from. */
const replayed = ({ input, output }: Replay): ReadonlyArray<InputItem> => [
  ...input,
  ...output.filter(
    (item) => item.status !== "incomplete" || (item.type !== "function_call" && item.type !== "custom_tool_call")
  )
]
