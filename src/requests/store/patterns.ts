import type { SqlClient, Statement } from "@effect/sql"

/** Characters of a pattern at most. */
export const longestPattern = 200

type Column = "request_id" | "account_id" | "key_id" | "family" | "endpoint" | "model" | "upstream" | "error"

/**
 * Conditions on rows of `requests` by texts in which `*` stands for any characters. Upper and lower case differ, and both
 * engines take time by the text's length.
 */
export interface Patterns {
  readonly column: (name: Column, pattern: string) => Statement.Fragment
  /** A text of `details`. */
  readonly detail: (name: "client" | "end_user" | "task", pattern: string) => Statement.Fragment
  /** One of the tags. */
  readonly tag: (pattern: string) => Statement.Fragment
  /** An upstream that was asked, also one that did not answer. */
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
      sql`EXISTS (SELECT 1 FROM json_each(details, '$.attempts')
        WHERE ${like(sql`json_extract(value, '$.upstream')`, pattern)})`,
    key: (pattern) => keyLike(sql, column, like, pattern)
  }
}

/**
 * What is in `details` is found in its text: its JSON can have characters that Postgres' own JSON has not, such as halves
 * of surrogate pairs. In a string every quote is escaped, so that what looks like a name in it never is one.
 */
const onPostgres = (sql: SqlClient.SqlClient): Patterns => {
  const like = (text: Statement.Fragment, pattern: string) =>
    pattern.includes("*") ? sql`${text} LIKE ${likeOf(pattern)}` : sql`${text} = ${pattern}`
  const column: Patterns["column"] = (name, pattern) => like(sql`${sql.literal(name)}`, pattern)
  return {
    column,
    detail: (name, pattern) => sql`details ~ ${`"${name}":${stringOf(pattern)}`}`,
    tag: (pattern) => sql`details ~ ${`"tags":\\[(?:"${anyCharacters}",)*${stringOf(pattern)}`}`,
    attempt: (pattern) => sql`details ~ ${`"upstream":${stringOf(pattern)}`}`,
    key: (pattern) => keyLike(sql, column, like, pattern)
  }
}

const keyLike = (
  sql: SqlClient.SqlClient,
  column: Patterns["column"],
  like: (text: Statement.Fragment, pattern: string) => Statement.Fragment,
  pattern: string
) => sql`(${column("key_id", pattern)} OR key_id IN (SELECT id FROM keys WHERE ${like(sql`name`, pattern)}))`

const globOf = (pattern: string): string => pattern.replaceAll("[", "[[]").replaceAll("?", "[?]")

const likeOf = (pattern: string): string => pattern.replace(/[\\%_]/g, "\\$&").replaceAll("*", "%")

/** What a string of JSON can have between its quotes, as a regular expression of Postgres. */
const anyCharacters = String.raw`(?:[^"\\]|\\.)*`

/** A string of JSON that fits a pattern, as a regular expression of Postgres. */
const stringOf = (pattern: string): string =>
  `"${pattern
    .split("*")
    .map((part) =>
      JSON.stringify(part)
        .slice(1, -1)
        .replace(/[\\^$.|?*+()[\]{}]/g, "\\$&")
    )
    .join(anyCharacters)}"`
