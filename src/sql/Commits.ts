import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import type { Scope } from "effect"
import { Daemons } from "../flow/Daemons.ts"
import type { Committer } from "./Committer.ts"
import { isDirect } from "./DirectClient.ts"
import { makeCommit } from "./postgres/Commit.ts"
import { makeGroupCommit } from "./sqlite/GroupCommit.ts"

/** Durable writes: SQLite groups many in one commit, Postgres commits each by itself. */
export class Commits extends Effect.Service<Commits>()("gateway/sql/Commits", {
  dependencies: [Daemons.Default],
  scoped: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const make: Effect.Effect<Committer, never, Needs> = sql.onDialectOrElse({
      pg: () => (isDirect(sql) ? makeCommit(sql) : Effect.dieMessage("this client of Postgres holds no connections")),
      orElse: () => makeGroupCommit(sql)
    })
    return yield* make
  })
}) {}

type Needs = Daemons | Scope.Scope | SqlClient.SqlClient
