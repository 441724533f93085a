import { Effect, Record, Schema } from "effect"
import { JsonObject } from "../../contract/fields.ts"
import { rows } from "../../sql/decode.ts"
import { makeClient } from "../../sql/postgres/Client.ts"
import { unavailable } from "../../sql/postgres/Database.ts"
import { UnreadableSource } from "../Source.ts"
import type { Rows, TableName } from "../Source.ts"

interface Table {
  readonly name: string
  /** Columns without which a row says nothing. */
  readonly needs: ReadonlyArray<string>
}

const tables: Readonly<Record<TableName, Table>> = {
  budgets: { name: "LiteLLM_BudgetTable", needs: ["budget_id"] },
  config: { name: "LiteLLM_Config", needs: ["param_name", "param_value"] },
  credentials: { name: "LiteLLM_CredentialsTable", needs: ["credential_name", "credential_values"] },
  endUsers: { name: "LiteLLM_EndUserTable", needs: ["user_id", "spend"] },
  keys: { name: "LiteLLM_VerificationToken", needs: ["token", "spend", "models", "max_budget", "team_id"] },
  members: { name: "LiteLLM_TeamMembership", needs: ["user_id", "team_id"] },
  modelAliases: { name: "LiteLLM_ModelTable", needs: ["id", "aliases"] },
  models: { name: "LiteLLM_ProxyModelTable", needs: ["model_id", "model_name", "litellm_params"] },
  organizations: { name: "LiteLLM_OrganizationTable", needs: ["organization_id"] },
  projects: { name: "LiteLLM_ProjectTable", needs: ["project_id"] },
  tags: { name: "LiteLLM_TagTable", needs: ["tag_name"] },
  teams: { name: "LiteLLM_TeamTable", needs: ["team_id", "spend", "models", "max_budget"] },
  users: { name: "LiteLLM_UserTable", needs: ["user_id"] }
}

/** Without these, it is no database of LiteLLM's. */
const needed: ReadonlySet<TableName> = new Set(["keys", "teams"])

/** Rows of each answer of the server. */
const atOnce = 2_000
const mostMs = 60_000

/**
 * Reads LiteLLM's database as it is at one moment. Nothing is written to it.
 *
 * @param url as LiteLLM has it, with Prisma's parameters
 */
export const readDatabase = (url: string): Effect.Effect<Rows, UnreadableSource> =>
  Effect.suspend(() => {
    const place = placeOf(url)
    if (place === undefined) {
      return new UnreadableSource({ message: "--database: expected postgres://<user>@<host>/<name>, LiteLLM's own" })
    }
    return Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* makeClient({
          url: place.url,
          connections: 1,
          prepares: false,
          mostMs,
          name: "gateway import"
        })
        return yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY`
            const columns = columnRows.all(
              yield* sql`SELECT table_name, column_name FROM information_schema.columns
                WHERE table_schema = ${place.schema} AND table_name LIKE 'LiteLLM%'`
            )
            const read = Effect.fnUntraced(function* (key: TableName) {
              const { name, needs } = tables[key]
              const found = columns.flatMap(({ column_name, table_name }) => (table_name === name ? [column_name] : []))
              if (found.length === 0 && !needed.has(key)) return []
              const missing = found.length === 0 ? undefined : needs.find((column) => !found.includes(column))
              if (found.length === 0 || missing !== undefined) {
                return yield* new UnreadableSource({
                  message: `the database has ${missing === undefined ? "no table" : `no column ${missing} in`} ${name} (schema ${place.schema}): expected tables of LiteLLM 1.40 or later`
                })
              }
              const all: Array<JsonObject> = []
              yield* sql`DECLARE ${sql(`import_${key}`)} NO SCROLL CURSOR FOR
                SELECT row_to_json(t)::text AS row FROM ${sql(place.schema)}.${sql(name)} AS t`
              for (;;) {
                const some = jsonRows.all(yield* sql`FETCH ${sql.literal(String(atOnce))} FROM ${sql(`import_${key}`)}`)
                for (const { row } of some) all.push(row)
                if (some.length < atOnce) return all
              }
            })
            return yield* Effect.all(Record.map(tables, (_, key) => read(key)))
          })
        )
      })
    ).pipe(
      Effect.catchTag("SqlError", (error) => {
        const { message } = unavailable(place.url, error)
        return new UnreadableSource({ message: `LiteLLM's ${message}` })
      })
    )
  })

/** The address without Prisma's own parameters, which the server refuses. */
const placeOf = (text: string) => {
  const url = /^postgres(?:ql)?:\/\/./.test(text) ? URL.parse(text) : null
  if (url === null) return undefined
  const schema = url.searchParams.get("schema") ?? "public"
  for (const name of prismaParameters) url.searchParams.delete(name)
  return { url: url.href, schema }
}

const prismaParameters = [
  "schema",
  "connection_limit",
  "pool_timeout",
  "pgbouncer",
  "statement_cache_size",
  "socket_timeout",
  "sslaccept",
  "sslidentity",
  "sslpassword",
  "sslcert"
]

const columnRows = rows("columns", { table_name: Schema.String, column_name: Schema.String })
const jsonRows = rows("rows", { row: Schema.parseJson(JsonObject) })

/** No rows, for an import without a database. */
export const noRows: Rows = Record.map(tables, () => [])
