import { Database } from "bun:sqlite"
import type { SQLQueryBindings, Statement as Prepared } from "bun:sqlite"
import type * as Reactivity from "@effect/experimental/Reactivity"
import { SqlClient } from "@effect/sql"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import { Effect, Exit, Scope, Stream } from "effect"
import { nextTurn } from "../../flow/eventLoop.ts"
import type { StatementText } from "../prepare.ts"
import type { ReadsAtOnce } from "../ReadsAtOnce.ts"

/**
 * A client of SQLite over Bun's own driver: one connection, one transaction at a time. Besides the interface of
 * `@effect/sql`, it runs plain statements (`writeNow`) for rows that every request writes: as effects they cost ten
 * times what SQLite does.
 *
 * @param filename a path, or `:memory:`
 */
export const makeClient = (
  filename: string
): Effect.Effect<SqlClient.SqlClient & ReadsAtOnce, never, Scope.Scope | Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(
      Effect.sync(() => new Database(filename, { readwrite: true, create: true })),
      (open) => Effect.sync(() => open.close())
    )
    database.run("PRAGMA journal_mode = WAL")
    const connection = new SqliteConnection(database)
    const turns = yield* Effect.makeSemaphore(1)
    const reserved = Effect.uninterruptibleMask((restore) =>
      Effect.as(
        Effect.zipRight(
          restore(turns.take(1)),
          Effect.tap(Effect.scope, (scope) => Scope.addFinalizer(scope, turns.release(1)))
        ),
        connection
      )
    )
    const client = yield* SqlClient.make({
      acquirer: turns.withPermits(1)(Effect.succeed(connection)),
      transactionAcquirer: reserved,
      compiler: Statement.makeCompilerSqlite(),
      spanAttributes: [["db.system.name", "sqlite"]]
    })
    return Object.assign(client, { readAtOnce: connection.readAtOnce })
  })

type Row = Readonly<Record<string, unknown>>
type Values = Array<SQLQueryBindings>

/**
 * The most prepared statements kept, of 2 to 15 KB each outside of the heap. The driver keeps twenty, a gateway has
 * hundreds, and preparing costs more than running.
 */
const mostKept = 512

/** SQLite's one connection. */
export class SqliteConnection implements Connection {
  readonly #database: Database
  /**
   * True if commits do not wait for the disk at the moment. It stays true between calls of `writeNow`, because the
   * pragma costs as much as two rows; all other work turns waiting on again.
   */
  #isRelaxed = false
  readonly #kept = new Map<string, Prepared<Row, Values>>()

  constructor(database: Database) {
    this.#database = database
  }

  readonly execute: Connection["execute"] = (text, values, transform) => {
    const rows = this.#ran(text, values, (bound) => this.#prepared(text).all(...bound))
    return transform === undefined ? rows : Effect.map(rows, transform)
  }

  readonly executeUnprepared: Connection["execute"] = this.execute

  readonly executeRaw: Connection["executeRaw"] = (text, values) => this.execute(text, values, undefined)

  readonly executeValues: Connection["executeValues"] = (text, values) =>
    this.#ran(text, values, (bound) => this.#prepared(text).values(...bound))

  readonly executeStream: Connection["executeStream"] = () => Stream.dieMessage("rows are not streamed")

  readonly readAtOnce: ReadsAtOnce["readAtOnce"] = (text, values) => {
    try {
      if (this.isBusy || !onlyReads.test(text)) return undefined
      return Exit.succeed(this.#prepared(text).all(...values.map(bindable)))
    } catch (cause) {
      return Exit.fail(failed(cause))
    }
  }

  /** True if any transaction is open. */
  get isBusy(): boolean {
    return this.#database.inTransaction
  }

  /**
   * Runs statements at once in a transaction of their own, all or none. Unless they must be durable, the commit does
   * not wait for the disk: it survives a crash of the process, but maybe not a power cut. Throws SQLite's error. No
   * transaction may be open.
   */
  writeNow(statements: ReadonlyArray<StatementText>, isDurable: boolean): void {
    const database = this.#database
    if (isDurable) this.#wait()
    else if (!this.#isRelaxed) {
      this.#prepared("PRAGMA synchronous = NORMAL").run()
      this.#isRelaxed = true
    }
    try {
      this.#prepared("BEGIN").run()
      for (const { text, values } of statements) this.#prepared(text).run(...values.map(bindable))
      this.#prepared("COMMIT").run()
    } finally {
      // SQLite may have rolled it back already, for example on a full disk.
      if (database.inTransaction) this.#prepared("ROLLBACK").run()
    }
  }

  #prepared(text: string): Prepared<Row, Values> {
    const kept = this.#kept.get(text)
    if (kept !== undefined) return kept
    if (this.#kept.size >= mostKept) this.#forget()
    const made = this.#database.prepare<Row, Values>(text)
    this.#kept.set(text, made)
    return made
  }

  /** Lists of varying lengths make new texts: the cache is emptied so that they can't fill it for good. */
  #forget(): void {
    for (const statement of this.#kept.values()) statement.finalize()
    this.#kept.clear()
  }

  /**
   * Makes commits wait for the disk again, before a statement that may commit; SQLite accepts the pragma only between
   * transactions.
   */
  #wait(): void {
    if (!this.#isRelaxed) return
    this.#prepared("PRAGMA synchronous = FULL").run()
    this.#isRelaxed = false
  }

  #ran<A>(text: string, values: ReadonlyArray<unknown>, run: (values: Values) => ReadonlyArray<A>) {
    return Effect.suspend(() => {
      try {
        if (!onlyReads.test(text)) this.#wait()
        const rows = Effect.succeed(run(values.map(bindable)))
        return values.some(isLong) ? Effect.zipRight(Effect.promise(nextTurn), rows) : rows
      } catch (cause) {
        return Effect.fail(failed(cause))
      }
    })
  }
}

const failed = (cause: unknown) => new SqlError({ cause, message: "Failed to execute statement" })

/**
 * Writing such a text takes milliseconds: other work gets an event-loop turn before the next statement, which may write
 * another one.
 */
const isLong = (value: unknown): boolean => typeof value === "string" && value.length > 1_000_000

const onlyReads = /^\s*SELECT\b/i

const bindable = (value: unknown): SQLQueryBindings => {
  if (value === undefined || value === null) return null
  if (isBinding(value)) return value
  throw new TypeError("a value that SQLite does not take")
}

const isBinding = (value: unknown): value is string | number | bigint | boolean | Uint8Array =>
  typeof value === "string" ||
  typeof value === "number" ||
  typeof value === "bigint" ||
  typeof value === "boolean" ||
  value instanceof Uint8Array
