import type { SqlClient, Statement } from "@effect/sql"

/** The most characters of a pattern. */
export const longestPattern = 200

type Column = "request_id" | "account_id" | "key_id" | "family" | "endpoint" | "model" | "upstream" | "error"

/** Conditions on rows of `requests` by case-sensitive patterns, in which `*` stands for any characters. */
export interface Patterns {
  readonly column: (name: Column, pattern: string) => Statement.Fragment
  /** A text of `details`. */
  readonly detail: (
    name: "client" | "end_user" | "task" | "service_tier" | "price_gap",
    pattern: string
  ) => Statement.Fragment
  /** One of the tags. */
  readonly tag: (pattern: string) => Statement.Fragment
  /** The upstream of any attempt. */
  readonly attempt: (pattern: string) => Statement.Fragment
  /** A key by its id or its name. */
  readonly key: (pattern: string) => Statement.Fragment
}

export const patterns = (sql: SqlClient.SqlClient): Patterns =>
  sql.onDialectOrElse({ pg: () => onPostgres(sql), orElse: () => onSqlite(sql) })

const onSqlite = (sql: SqlClient.SqlClient): Patterns => {
  const like = (text: Statement.Fragment, pattern: string) =>
    pattern.includes("*") ? sql`${text} GLOB ${globOf(pattern)}` : sql`${text} = ${pattern}`
  const column: Patterns["column"] = (name, pattern) => like(sql`${sql.literal(name)}`, pattern)
  return {
    column,
    detail: (name, pattern) => like(sql`json_extract(details, ${`$.${name}`})`, pattern),
    tag: (pattern) => sql`EXISTS (SELECT 1 FROM json_each(details, '$.tags') WHERE ${like(sql`value`, pattern)})`,
    attempt: (pattern) =>
      sql`(EXISTS (SELECT 1 FROM json_each(details, '$.attempts')
        WHERE ${like(sql`json_extract(value, '$.upstream')`, pattern)}) OR ${ofTask(sql, like, pattern)})`,
    key: (pattern) => keyLike(sql, column, like, pattern)
  }
}

/**
 * Matches `details` as text, because it may hold characters that Postgres's JSON does not support, such as lone
 * surrogates. Quotes inside strings are escaped, so that only real field names match.
 */
const onPostgres = (sql: SqlClient.SqlClient): Patterns => {
  const like = (text: Statement.Fragment, pattern: string) =>
    pattern.includes("*") ? sql`${text} LIKE ${likeOf(pattern)}` : sql`${text} = ${pattern}`
  const column: Patterns["column"] = (name, pattern) => like(sql`${sql.literal(name)}`, pattern)
  return {
    column,
    detail: (name, pattern) => sql`details ~ ${`"${name}":${stringOf(pattern)}`}`,
    tag: (pattern) => sql`details ~ ${`"tags":\\[(?:"${anyCharacters}",)*${stringOf(pattern)}`}`,
    attempt: (pattern) => sql`(details ~ ${`"upstream":${stringOf(pattern)}`} OR ${ofTask(sql, like, pattern)})`,
    key: (pattern) => keyLike(sql, column, like, pattern)
  }
}

/** An upstream that the request's task called. */
const ofTask = (
  sql: SqlClient.SqlClient,
  like: (text: Statement.Fragment, pattern: string) => Statement.Fragment,
  pattern: string
) =>
  sql`(details LIKE '%"task":%' AND EXISTS (SELECT 1 FROM task_calls WHERE task_calls.request_id <> ''
    AND task_calls.request_id = requests.request_id AND ${like(sql`task_calls.upstream`, pattern)}))`

const keyLike = (
  sql: SqlClient.SqlClient,
  column: Patterns["column"],
  like: (text: Statement.Fragment, pattern: string) => Statement.Fragment,
  pattern: string
) => sql`(${column("key_id", pattern)} OR key_id IN (SELECT id FROM keys WHERE ${like(sql`name`, pattern)}))`

const globOf = (pattern: string): string => pattern.replaceAll("[", "[[]").replaceAll("?", "[?]")

const likeOf = (pattern: string): string => pattern.replace(/[\\%_]/g, "\\$&").replaceAll("*", "%")

/** The content of any JSON string, as a Postgres regular expression. */
const anyCharacters = String.raw`(?:[^"\\]|\\.)*`

/** A JSON string that matches a pattern, as a Postgres regular expression. */
const stringOf = (pattern: string): string =>
  `"${pattern
    .split("*")
    .map((part) =>
      JSON.stringify(part)
        .slice(1, -1)
        .replace(/[\\^$.|?*+()[\]{}]/g, "\\$&")
    )
    .join(anyCharacters)}"`
