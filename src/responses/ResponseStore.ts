import { SqlClient } from "@effect/sql"
import type { SqlError } from "@effect/sql/SqlError"
import { Clock, Context, Duration, Effect } from "effect"
import type { AccountId } from "../contract/Caller.ts"
import { InvalidRequest, NotFound } from "../contract/Failure.ts"
import { Commits } from "../sql/Commits.ts"
import { gathered } from "../sql/gathered.ts"
import type { Include } from "./encoding.ts"
import { inputItemId, responseIdOf } from "./ids.ts"
import type { InputItem } from "./InputItem.ts"
import type { OutputItem, ResponseObject } from "./ResponseObject.ts"

/** How long responses are kept. */
export class ResponseRetention extends Context.Reference<ResponseRetention>()("gateway/responses/ResponseRetention", {
  defaultValue: () => Duration.days(30)
}) {}

/** A response that has ended, with all that reading and continuing it takes. */
export interface StoredResponse {
  readonly response: ResponseObject
  /** Its own input, references resolved; not what came before it. */
  readonly input: ReadonlyArray<InputItem>
  /** Its output, with what only a replay may see. */
  readonly output: ReadonlyArray<OutputItem>
  readonly include: Include
}

interface Row {
  readonly id: string
  readonly previous_id: string | null
  readonly status: string
  readonly response: string
  readonly input: string
  readonly output: string
  readonly include: string
}

type NewRow = { readonly [Column in keyof Row | "account_id" | "created_at" | "expires_at"]: string | number | null }

interface Added {
  readonly row: NewRow
  /** Items that an upstream named: their ids do not tell where they belong. */
  readonly foreign: ReadonlyArray<Readonly<Record<"account_id" | "item_id" | "response_id", string>>>
}

type Replayed = Pick<Row, "id" | "previous_id" | "status" | "input" | "output">

/** The gateway's memory of conversations. Everything is per account: another account's ids look unknown. */
export class ResponseStore extends Effect.Service<ResponseStore>()("gateway/responses/ResponseStore", {
  effect: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const commits = yield* Commits
    const retentionMs = Duration.toMillis(yield* ResponseRetention)

    const insert = gathered(commits, yield* Effect.runtime(), (added: ReadonlyArray<Added>) =>
      Effect.zipRight(
        Effect.forEach(
          inStatements(added.map(({ row }) => row)),
          (some) => sql`INSERT INTO responses ${sql.insert(some)} ON CONFLICT (id) DO NOTHING`,
          { discard: true }
        ),
        Effect.forEach(
          added.flatMap(({ foreign }) => foreign),
          (item) => sql`INSERT INTO response_items ${sql.insert(item)} ON CONFLICT DO NOTHING`,
          { discard: true }
        )
      )
    )

    /** Resolves once it is durable. A promise, because every request waits for it in plain code. */
    const save = (account: AccountId, { include, input, output, response }: StoredResponse): Promise<void> => {
      const createdAt = response.created_at * 1_000
      const foreign = output.flatMap((item) =>
        responseIdOf(item.id) === response.id
          ? []
          : [{ account_id: account, item_id: item.id, response_id: response.id }]
      )
      const row = {
        id: response.id,
        account_id: account,
        previous_id: response.previous_response_id,
        status: response.status,
        response: JSON.stringify({ ...response, output: [] }),
        input: JSON.stringify(input),
        output: JSON.stringify(output),
        include: JSON.stringify(include),
        created_at: createdAt,
        expires_at: createdAt + retentionMs
      }
      return insert({ row, foreign })
    }

    const find = (account: AccountId, id: string): Effect.Effect<StoredResponse, NotFound> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        sql<Row>`SELECT * FROM responses WHERE id = ${id} AND account_id = ${account} AND expires_at > ${now}`.pipe(
          Effect.orDie,
          Effect.flatMap(([row]) =>
            row === undefined ? Effect.fail(unknownResponse(id)) : Effect.succeed(stored(row))
          )
        )
      )

    const remove = (account: AccountId, id: string): Effect.Effect<void, NotFound> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        commits
          .statement(
            sql`DELETE FROM responses WHERE id = ${id} AND account_id = ${account} AND expires_at > ${now} RETURNING id`
          )
          .pipe(
            Effect.orDie,
            Effect.flatMap(({ length }) => (length === 0 ? Effect.fail(unknownResponse(id)) : Effect.void))
          )
      )

    /** Input and output of the response and of all it continues, oldest first. */
    const history = (account: AccountId, id: string): Effect.Effect<ReadonlyArray<InputItem>, InvalidRequest> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        sql<Replayed>`
          WITH RECURSIVE chain (id, previous_id, depth) AS (
            SELECT id, previous_id, 0 FROM responses WHERE id = ${id} AND account_id = ${account} AND expires_at > ${now}
            UNION ALL
            SELECT earlier.id, earlier.previous_id, depth + 1
            FROM chain JOIN responses AS earlier ON earlier.id = chain.previous_id
            WHERE earlier.account_id = ${account} AND earlier.expires_at > ${now}
          )
          SELECT responses.id, responses.previous_id, responses.status, responses.input, responses.output
          FROM chain JOIN responses ON responses.id = chain.id
          ORDER BY depth DESC`.pipe(
          Effect.orDie,
          Effect.flatMap((rows) => {
            const last = rows.at(-1)
            if (last === undefined || last.status === "failed") return Effect.fail(unknownPrevious(id))
            // A link that is gone would silently take what came before it along.
            const missing = rows[0]?.previous_id
            return missing ? Effect.fail(unknownPrevious(missing)) : Effect.succeed(rows.flatMap(replayed))
          })
        )
      )

    /** The input with every reference to a stored item replaced by the item. */
    const resolve = (
      account: AccountId,
      input: ReadonlyArray<InputItem>
    ): Effect.Effect<ReadonlyArray<InputItem>, NotFound> => {
      const wanted = input.flatMap((item) => (item.type === "item_reference" ? [item.id] : []))
      if (wanted.length === 0) return Effect.succeed(input)
      const responses = [...new Set(wanted.flatMap((id) => responseIdOf(id) ?? []))]
      const foreign = wanted.filter((id) => responseIdOf(id) === undefined)
      return Effect.flatMap(Clock.currentTimeMillis, (now) =>
        sql<Replayed>`SELECT id, previous_id, status, input, output FROM responses
          WHERE (${sql.in("id", responses)} OR id IN (
            SELECT response_id FROM response_items WHERE account_id = ${account} AND ${sql.in("item_id", foreign)}
          )) AND account_id = ${account} AND expires_at > ${now}`.pipe(
          Effect.orDie,
          Effect.flatMap((rows) => {
            const items = new Map(rows.flatMap(identified))
            const missing = wanted.find((id) => !items.has(id))
            if (missing !== undefined) return Effect.fail(unknownItem(missing))
            return Effect.succeed(
              input.map((item) => (item.type === "item_reference" ? (items.get(item.id) ?? item) : item))
            )
          })
        )
      )
    }

    /** Removes some of what has expired; answers how many there were. */
    const removeExpired = (atMost: number): Effect.Effect<number, SqlError> =>
      Effect.flatMap(Clock.currentTimeMillis, (now) =>
        Effect.map(
          sql`DELETE FROM responses
            WHERE id IN (SELECT id FROM responses WHERE expires_at <= ${now} ORDER BY expires_at LIMIT ${atMost})
            RETURNING id`,
          ({ length }) => length
        )
      )

    return { save, find, remove, history, resolve, removeExpired } as const
  })
}) {}

/** Few different numbers of rows, so that there are few statements to prepare. */
const inStatements = (rows: ReadonlyArray<NewRow>): ReadonlyArray<ReadonlyArray<NewRow>> => {
  const statements: Array<ReadonlyArray<NewRow>> = []
  let at = 0
  for (const size of [32, 8, 1]) {
    for (; rows.length - at >= size; at += size) statements.push(rows.slice(at, at + size))
  }
  return statements
}

const stored = (row: Row): StoredResponse => {
  const output = outputOf(row)
  const response: ResponseObject = JSON.parse(row.response)
  return { response: { ...response, output }, input: inputOf(row), output, include: JSON.parse(row.include) }
}

/** What the model is shown of an earlier response; a call that was cut off is nothing it could continue from. */
const replayed = (row: Replayed): ReadonlyArray<InputItem> => [
  ...inputOf(row),
  ...outputOf(row).filter(
    (item) => item.status !== "incomplete" || (item.type !== "function_call" && item.type !== "custom_tool_call")
  )
]

const identified = (row: Replayed): ReadonlyArray<readonly [string, InputItem]> => [
  ...inputOf(row).map((item, index): readonly [string, InputItem] => [inputItemId(row.id, item, index), item]),
  ...outputOf(row).map((item): readonly [string, InputItem] => [item.id, item])
]

const inputOf = ({ input }: Replayed): ReadonlyArray<InputItem> => JSON.parse(input)
const outputOf = ({ output }: Replayed): ReadonlyArray<OutputItem> => JSON.parse(output)

const unknownResponse = (id: string) => new NotFound({ param: null, message: `Response with id '${id}' not found.` })

const unknownPrevious = (id: string) =>
  new InvalidRequest({ param: "previous_response_id", message: `Previous response with id '${id}' not found.` })

const unknownItem = (id: string) =>
  new NotFound({
    param: "input",
    message:
      `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. ` +
      "Try again with `store` set to true, or remove this item from your input."
  })
