import { outcomeSql } from "./matching.ts"

const how = (condition: string) => `CAST(SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END) AS BIGINT)`

/** `modelOf`, as a column of a query. */
export const modelSql = `CASE WHEN upstream = '' AND details NOT LIKE '%"task":%' THEN '' ELSE model END`

/** Columns that count rows of `requests` by outcome, for grouped queries. `errors`: all unsuccessful ones. */
export const countedSql = [
  "COUNT(*) AS requests",
  `${how("status >= 400 OR error <> ''")} AS errors`,
  `${how(outcomeSql.refused)} AS refused`,
  `${how(outcomeSql.hang_up)} AS hang_ups`
].join(", ")
