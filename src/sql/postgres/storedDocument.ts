import { Effect, Option, Schema } from "effect"
import { BadSettings } from "../../config/document.ts"
import type { StoredDocument } from "../../config/source.ts"
import { rows } from "../decode.ts"
import { makeClient } from "./Client.ts"
import { unavailable } from "./Database.ts"

/**
 * The newest applied version of the configuration, read on a separate connection because it configures the gateway's
 * own. None if none was applied or the database has no schema yet.
 */
export const storedDocument = (url: string): Effect.Effect<Option.Option<StoredDocument>, BadSettings> =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* makeClient({ url, connections: 1, prepares: false, mostMs, name: "gateway configuration" })
      const [table] = yield* sql`SELECT 1 FROM pg_tables
        WHERE schemaname = current_schema() AND tablename = 'configurations'`
      if (table === undefined) return Option.none()
      const newest = yield* sql`SELECT version, document AS text FROM configurations ORDER BY version DESC LIMIT 1`
      return Option.fromNullable(documents.first(newest))
    })
  ).pipe(Effect.mapError((error) => new BadSettings({ message: unavailable(url, error).message })))

const mostMs = 10_000
const documents = rows("configurations", { version: Schema.Int, text: Schema.String })
