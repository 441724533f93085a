import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import { Daemons } from "../flow/Daemons.ts"
import { Node } from "../nodes/Node.ts"
import { Changes } from "../sql/Changes.ts"
import { Commits } from "../sql/Commits.ts"
import type { KeepsBooks } from "./KeepsBooks.ts"
import { makeOwnBooks } from "./ownBooks.ts"
import { makeSharedBooks } from "./shared/sharedBooks.ts"

/** The books of one process with SQLite, of all that share the database with Postgres. */
export class Books extends Context.Tag("gateway/ledger/Books")<Books, KeepsBooks>() {
  static readonly DefaultWithoutDependencies = Layer.scoped(
    Books,
    Effect.flatMap(SqlClient.SqlClient, (sql) => {
      const make: Effect.Effect<KeepsBooks, never, BooksNeeds> = sql.onDialectOrElse({
        pg: () => makeSharedBooks,
        orElse: () => makeOwnBooks
      })
      return make
    })
  )
  static readonly Default = Books.DefaultWithoutDependencies.pipe(
    Layer.provide([Changes.Default, Commits.Default, Node.Default, Daemons.Default])
  )
}

type BooksNeeds = Effect.Effect.Context<typeof makeOwnBooks> | Effect.Effect.Context<typeof makeSharedBooks>
