import { measuresIn } from "../../../src/contract/records/measures.ts"

/**
 * Queries that find sums which differ from the rows of `usage` and `requests`, what is not added up yet among them, on
 * Postgres. Names that callers make up may be counted under a wildcard's pattern: models are compared where an account
 * has none.
 */
const money = ["cost_nano_usd", "upstream_cost_nano_usd", "above_hold_nano_usd"]
const hours = [...measuresIn("usage_hours"), ...money]
const days = [...measuresIn("usage_days"), ...money, "requests"]

const ofRow = (name: string) =>
  name === "requests"
    ? "CASE WHEN outcome IN ('finished', 'hang-up') THEN 1 ELSE 0 END"
    : name === "upstream_cost_nano_usd"
      ? `COALESCE(${name}, cost_nano_usd)`
      : name

const day = "to_char(to_timestamp(at / 1000) AT TIME ZONE 'UTC', 'YYYY-MM-DD')"
const model = `CASE WHEN EXISTS (SELECT 1 FROM usage_days AS wild WHERE wild.account_id = one.account_id
  AND wild.model LIKE '%*%') THEN '' ELSE model END`

interface Compared {
  readonly rows: string
  readonly rowKey: string
  readonly sums: string
  readonly unsummed: string
  readonly key: string
  readonly names: ReadonlyArray<string>
}

/** Groups whose sum is not that of their rows. */
const differing = ({ key, names, rowKey, rows, sums, unsummed }: Compared) => {
  const columns = names.map((_, n) => `c${n}`)
  const of = (value: (name: string) => string) => names.map((name, n) => `${value(name)} AS c${n}`).join(", ")
  return `SELECT ${key}, ${columns.map((column, n) => `SUM(${column})::text AS ${names[n]}`).join(", ")} FROM (
      SELECT ${rowKey}, ${of(ofRow)} FROM ${rows}
      UNION ALL SELECT ${key}, ${of((name) => `-${name}`)} FROM ${sums}
      UNION ALL SELECT ${key}, ${of((name) => `-${name}`)} FROM ${unsummed}
    ) AS each_one GROUP BY ${key} HAVING ${columns.map((column) => `SUM(${column}) <> 0`).join(" OR ")}`
}

const one = (table: string, key: string) => `(SELECT *, ${key} AS name FROM ${table} AS one)`

export const sumDifferences: Readonly<Record<string, string>> = {
  usage_hours: differing({
    rows: `${one("usage", model)} AS u`,
    rowKey: "at - at % 3600000 AS hour, account_id, key_id, upstream, name",
    sums: `${one("usage_hours", model)} AS h`,
    unsummed: `${one("usage_unsummed", model)} AS l WHERE hour >= 0 AND model <> ''`,
    key: "hour, account_id, key_id, upstream, name",
    names: hours
  }),
  usage_days: differing({
    rows: `${one("usage", model)} AS u`,
    rowKey: `${day} AS day, account_id, key_id, name`,
    sums: `${one("usage_days", model)} AS d`,
    unsummed: `${one("usage_unsummed", model)} AS l WHERE model <> ''`,
    key: "day, account_id, key_id, name",
    names: days
  }),
  key_spending: differing({
    rows: "usage",
    rowKey: `${day} AS day, key_id`,
    sums: "(SELECT day, key_id, nano_usd AS cost_nano_usd FROM key_spending) AS s",
    unsummed: "usage_unsummed",
    key: "day, key_id",
    names: ["cost_nano_usd"]
  }),
  accounts: differing({
    rows: "usage",
    rowKey: "account_id",
    sums: "(SELECT id AS account_id, settled_nano_usd AS cost_nano_usd FROM accounts) AS a",
    unsummed: "usage_unsummed",
    key: "account_id",
    names: ["cost_nano_usd"]
  }),
  request_hours: differing({
    rows: "(SELECT *, 'finished' AS outcome FROM requests) AS r",
    rowKey: "at - at % 3600000 AS hour, account_id, key_id, upstream",
    sums: "request_hours",
    unsummed: "request_hours WHERE FALSE",
    key: "hour, account_id, key_id, upstream",
    names: ["requests", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"]
  })
}
