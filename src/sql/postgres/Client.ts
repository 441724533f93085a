import { SqlClient } from "@effect/sql"
import * as Reactivity from "@effect/experimental/Reactivity"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import { Effect, Predicate, Stream } from "effect"
import type { Scope } from "effect"
import type { DirectClient, ReservedConnection } from "../DirectClient.ts"
import { errorCode } from "../errorCode.ts"
import { SendsAhead } from "../SendsAhead.ts"
import { again } from "./again.ts"
import { makePool } from "./Pool.ts"
import type { Pool, PoolOptions, Sender } from "./Pool.ts"
import { refusal, rowsOf, unfit, withoutValues } from "./values.ts"
import type { Row } from "./values.ts"

/**
 * A client of Postgres over Bun's own driver. If a fiber is interrupted, its statement runs to its end and the answer
 * is dropped: a cancel request would hit whatever statement the connection runs by then.
 */
export const makeClient = (options: PoolOptions): Effect.Effect<DirectClient, never, Scope.Scope> =>
  Effect.gen(function* () {
    const pool = yield* makePool(options)
    const send = sending(pool)
    const direct = shared(send)
    const hold = holding(pool)
    const client = yield* SqlClient.make({
      acquirer: Effect.succeed(direct),
      transactionAcquirer: Effect.map(
        Effect.acquireRelease(hold, ({ leave }) => leave),
        ({ connection }) => connection
      ),
      compiler,
      spanAttributes: [["db.system.name", "postgresql"]]
    })
    const { withTransaction } = client
    return Object.assign(client, {
      direct,
      send,
      hold,
      withTransaction: <R, E, A>(statements: Effect.Effect<A, E, R>) => outermostAgain(withTransaction(statements))
    })
  }).pipe(Effect.provide(Reactivity.layer))

/** A nested transaction is not retried; the outermost one is. */
const outermostAgain = <A, E, R>(transaction: Effect.Effect<A, E | SqlError, R>) =>
  Effect.flatMap(Effect.serviceOption(SqlClient.TransactionConnection), (outer) =>
    outer._tag === "Some" ? transaction : again(transaction)
  )

/** Sends a statement outside of a transaction, on any free connection. Returns a function that leaves the queue. */
const sending =
  (pool: Pool) =>
  (
    text: string,
    values: ReadonlyArray<unknown>,
    ended: (rows: ReadonlyArray<Row> | SqlError) => void
  ): (() => void) => {
    const refused = unfit(values)
    if (refused === undefined) {
      return pool.turns.take(
        () =>
          pool.run(pool.all(), text, values, (end) => {
            pool.turns.give()
            ended("failed" in end ? failed(end.failed) : rowsOf(end.answer))
          }),
        () => ended(busy)
      )
    }
    ended(refused)
    return () => {}
  }

const shared = (send: ReturnType<typeof sending>): Connection =>
  connection((text, values) =>
    Effect.async((resume) => Effect.sync(send(text, values, (rows) => resume(asEffect(rows)))))
  )

/** Reserves a connection for a transaction. It is closed if its transaction could not be ended. */
const holding = (pool: Pool): Effect.Effect<ReservedConnection, SqlError> => {
  const reserve = Effect.tapError(Effect.tryPromise({ try: pool.reserve, catch: failed }), () =>
    Effect.sync(() => pool.turns.give())
  )
  const held = Effect.map(reserve, (own): ReservedConnection => {
    const reserved: Reserved = { own, isOpen: false }
    return {
      connection: transactional(pool, reserved),
      leave: Effect.promise(async () => {
        try {
          await (reserved.isOpen ? own.close({ timeout: 0 }) : own.release())
        } finally {
          pool.turns.give()
        }
      })
    }
  })
  return Effect.zipRight(turn(pool), held)
}

interface Reserved {
  readonly own: Sender
  isOpen: boolean
}

const transactional = (pool: Pool, held: Reserved): SendsAhead => {
  /** The first failure of a statement sent ahead. All later statements fail with it. */
  let broken: SqlError | undefined
  const run = (text: string, values: ReadonlyArray<unknown>, ended: (end: End) => void) => {
    const isBegin = text === "BEGIN"
    if (isBegin) held.isOpen = true
    pool.run(held.own, isBegin ? pool.begin : text, values, ended)
  }
  const waiting = connection((text, values) =>
    Effect.async((resume) => {
      const refused = unfit(values)
      if (refused !== undefined) return resume(Effect.fail(refused))
      run(text, values, (end) => {
        if (text === "BEGIN" && !("failed" in end)) return resume(Effect.succeed([]))
        if (text === "COMMIT" && !("failed" in end)) {
          held.isOpen = false
          // COMMIT of a failed transaction succeeds as a rollback; only the command tag says so.
          return resume(isCommit(end.answer) ? Effect.succeed([]) : Effect.fail(broken ?? rolledBack))
        }
        if (text !== "ROLLBACK") {
          return resume("failed" in end && broken !== undefined ? Effect.fail(broken) : answerOf(end))
        }
        // A transaction that can't be rolled back closes its connection.
        held.isOpen = "failed" in end
        resume(Effect.succeed([]))
      })
    })
  )
  return new SendsAhead(waiting, (text, values) => {
    const refused = unfit(values)
    if (refused !== undefined) return refused
    run(text, values, (end) => {
      if ("failed" in end) broken ??= failed(end.failed)
    })
    return undefined
  })
}

/** Waits for a free connection, until it is given back. */
const turn = (pool: Pool): Effect.Effect<void, SqlError> =>
  Effect.async((resume) =>
    Effect.sync(
      pool.turns.take(
        () => resume(Effect.void),
        () => resume(Effect.fail(busy))
      )
    )
  )

type End = Parameters<Parameters<Pool["run"]>[3]>[0]

const answerOf = (end: End): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
  "failed" in end ? Effect.fail(failed(end.failed)) : asEffect(rowsOf(end.answer))

const asEffect = (rows: ReadonlyArray<Row> | SqlError): Effect.Effect<ReadonlyArray<Row>, SqlError> =>
  rows instanceof SqlError ? Effect.fail(rows) : Effect.succeed(rows)

const isCommit = (answer: unknown) => Predicate.hasProperty(answer, "command") && answer.command === "COMMIT"

const failed = (cause: unknown) =>
  errorCode(cause) === "ERR_POSTGRES_TOO_MANY_PARAMETERS"
    ? refusal("54000", "a statement has more values than the server takes")
    : new SqlError({ cause: withoutValues(cause), message: "Failed to execute statement" })
export const busy = new SqlError({ cause: { code: "busy" }, message: "all connections to the database are taken" })
const rolledBack = refusal("40000", "the transaction was rolled back")

/** An answer of the driver: an array with the command's tag beside its rows. */
type Run = (text: string, values: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<Row>, SqlError>

/** The connection that `@effect/sql` expects. */
const connection = (statement: Run): Connection => {
  const rows = (text: string, values: ReadonlyArray<unknown>) =>
    Effect.map(statement(text, values), (found) => Array.from(found))
  const execute: Connection["execute"] = (text, values, transform) =>
    transform === undefined ? rows(text, values) : Effect.map(rows(text, values), transform)
  return {
    execute,
    executeUnprepared: execute,
    executeRaw: statement,
    executeValues: (text, values) => Effect.map(statement(text, values), (all) => all.map((row) => Object.values(row))),
    executeStream: () => Stream.dieMessage("rows are not streamed")
  }
}

const compiler = Statement.makeCompiler({
  dialect: "pg",
  placeholder: (index) => `$${index}`,
  onIdentifier: Statement.defaultEscape('"'),
  onRecordUpdate: (placeholders, alias, columns, values, returning) => [
    `(values ${placeholders}) AS ${alias}${columns}${returning === undefined ? "" : ` RETURNING ${returning[0]}`}`,
    returning === undefined ? values.flat() : values.flat().concat(returning[1])
  ],
  onCustom: () => ["", []]
})
