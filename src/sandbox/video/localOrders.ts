import { existsSync } from "node:fs"
import { join } from "node:path"
import { Database as SqliteFile } from "bun:sqlite"
import { Effect, Either, Option } from "effect"
import type { Scope } from "effect"
import { makeOwnFile, ownDirectoryIfPossible, ownFiles } from "../../config/ownFiles.ts"
import { decodeOrder, encodeOrder, OrdersUnavailable } from "./Order.ts"
import type { Orders } from "./Order.ts"

/** Orders of one machine's processes. */
export const localOrders = (directory: string): Effect.Effect<Orders, never, Scope.Scope> =>
  Effect.map(openOrders(directory), (orders) => ({
    write: ({ endsAtMs, id, order }) => attempt(() => void orders.write.run(id, encodeOrder(order), endsAtMs)),
    read: (id) =>
      Effect.suspend(() =>
        attempt(() => {
          const row = orders.read.get(id)
          return row === null ? Option.none() : Option.some(decodeOrder(row.content))
        })
      ),
    idOf: (taskId) =>
      Effect.suspend(() =>
        attempt(() => {
          const rows = orders.idsBetween.all(`${taskId}-`, `${taskId}.`)
          return Option.fromNullable(rows.find(({ id }) => id.length === taskId.length + 33)?.id)
        })
      ),
    over: (nowMs) => Effect.suspend(() => attempt(() => orders.idsOver.all(nowMs).map(({ id }) => id))),
    remove: (id) => Effect.suspend(() => attempt(() => void orders.remove.run(id)))
  }))

/** Orders in another place, and those that this machine still has from before the move. */
export const movedOrders = (directory: string, orders: Orders): Effect.Effect<Orders, never, Scope.Scope> =>
  !existsSync(join(directory, file))
    ? Effect.succeed(orders)
    : Effect.map(localOrders(directory), (former) => ({
        write: orders.write,
        read: (id) => firstOf(orders.read(id), former.read(id)),
        idOf: (taskId) => firstOf(orders.idOf(taskId), former.idOf(taskId)),
        over: (nowMs) =>
          Effect.map(Effect.all([orders.over(nowMs), former.over(nowMs)]), (ids) => [...new Set(ids.flat())]),
        remove: (id) => Effect.zipRight(orders.remove(id), former.remove(id))
      }))

const firstOf = <A, E>(one: Effect.Effect<Option.Option<A>, E>, other: Effect.Effect<Option.Option<A>, E>) =>
  Effect.flatMap(one, (found) => (Option.isSome(found) ? Effect.succeed(found) : other))

const file = "orders.db"

const attempt = <A>(run: () => A): Either.Either<A, OrdersUnavailable> =>
  Either.try({ try: run, catch: (cause) => new OrdersUnavailable({ message: String(cause) }) })

/**
 * Orders are rows of a small database beside the clips: a folder and a file each took ten times as long and delayed the
 * task's own commits. Nothing here is worth an fsync: a clip lost in a power cut is a failed task of a sandbox.
 */
const openOrders = (directory: string) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const isWritable = yield* ownDirectoryIfPossible(directory)
      const path = isWritable ? join(directory, file) : ":memory:"
      if (isWritable) {
        yield* ownFiles(path, `${path}-wal`, `${path}-shm`)
        makeOwnFile(path)
      }
      const database = new SqliteFile(path, { create: true })
      // Several processes of a machine share it.
      database.run("PRAGMA busy_timeout = 5000")
      database.run("PRAGMA journal_mode = WAL")
      database.run("PRAGMA synchronous = NORMAL")
      database.run("PRAGMA wal_autocheckpoint = 8000")
      database.run(
        "CREATE TABLE IF NOT EXISTS orders (id TEXT PRIMARY KEY, content TEXT NOT NULL, ends_at REAL) WITHOUT ROWID"
      )
      return {
        database,
        write: database.prepare<null, [id: string, content: string, endsAtMs: number]>(
          "INSERT OR REPLACE INTO orders (id, content, ends_at) VALUES (?, ?, ?)"
        ),
        read: database.prepare<{ content: string }, [id: string]>("SELECT content FROM orders WHERE id = ?"),
        idsBetween: database.prepare<{ id: string }, [first: string, end: string]>(
          "SELECT id FROM orders WHERE id >= ? AND id < ?"
        ),
        idsOver: database.prepare<{ id: string }, [nowMs: number]>("SELECT id FROM orders WHERE ends_at <= ?"),
        remove: database.prepare<null, [id: string]>("DELETE FROM orders WHERE id = ?")
      }
    }),
    ({ database }) => Effect.sync(() => database.close())
  )
