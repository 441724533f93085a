import type { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import type { PoolSettings } from "../config/databaseSettings.ts"
import { DatabaseUnavailable } from "./DatabaseUnavailable.ts"
import type { Schemas } from "./migrations.ts"
import * as Postgres from "./postgres/Database.ts"
import * as Sqlite from "./sqlite/Database.ts"

export { DatabaseUnavailable } from "./DatabaseUnavailable.ts"

export interface DatabaseOptions {
  /** `sqlite:<path>`, `sqlite::memory:` or `postgres://…`. */
  readonly url: string
  /** True for a server. SQLite allows one server per file. Commands connect briefly and pass false. */
  readonly exclusive: boolean
  /** Pool settings for Postgres; defaults if absent. */
  readonly pool?: PoolSettings | undefined
}

/**
 * Opens the database, migrates its schema and, for a server with SQLite, locks the file against a second server.
 * Refuses a newer schema. A command also refuses an older one while a server is running.
 */
export const layer = ({
  exclusive,
  pool,
  url
}: DatabaseOptions): Layer.Layer<SqlClient.SqlClient, DatabaseUnavailable> => {
  const place = placeOf(url)
  if (place === undefined) return Layer.fail(unknown(url))
  return place.engine === "sqlite"
    ? Sqlite.layer({ filename: place.filename, exclusive })
    : Postgres.layer({ url, exclusive, pool })
}

/** True if a gateway serves from this database now. */
export const isServed = (url: string): Effect.Effect<boolean, DatabaseUnavailable> => {
  const place = placeOf(url)
  if (place === undefined) return Effect.fail(unknown(url))
  return place.engine === "sqlite" ? Sqlite.isServed(place.filename) : Postgres.isServed(url)
}

/** The schema version of a database, and the version that this gateway migrates to. Changes nothing. */
export const schemasOf = (url: string): Effect.Effect<Schemas, DatabaseUnavailable> => {
  const place = placeOf(url)
  if (place === undefined) return Effect.fail(unknown(url))
  return place.engine === "sqlite" ? Sqlite.schemasOf(place.filename) : Postgres.schemasOf(url)
}

/** The file of a database; none if it is in memory or on a server. */
export const fileOf = (url: string): Effect.Effect<Option.Option<string>, DatabaseUnavailable> => {
  const place = placeOf(url)
  if (place === undefined) return Effect.fail(unknown(url))
  const isFile = place.engine === "sqlite" && place.filename !== ":memory:"
  return Effect.succeed(isFile ? Option.some(place.filename) : Option.none())
}

type Place = { readonly engine: "sqlite"; readonly filename: string } | { readonly engine: "postgres" }

const placeOf = (url: string): Place | undefined => {
  const filename = /^sqlite:(.+)$/s.exec(url)?.[1]
  if (filename !== undefined) return { engine: "sqlite", filename }
  return /^postgres(?:ql)?:\/\/./.test(url) ? { engine: "postgres" } : undefined
}

/** Omits the address, which may contain a password. */
const unknown = (url: string) =>
  new DatabaseUnavailable({
    message: `database: expected sqlite:<path>, sqlite::memory: or postgres://<user>@<host>/<name>; got "${url.slice(0, url.indexOf(":") + 1) || url.slice(0, 20)}…"`
  })
