import { outcomeSql } from "./matching.ts"

const how = (condition: string) => `CAST(SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END) AS BIGINT)`

/** `modelOf`, as a column of a query. */
export const modelSql = `CASE WHEN upstream = '' AND details NOT LIKE '%"task":%' THEN '' ELSE model END`

/** How rows of `requests` ended, as columns of a query that groups them. `errors`: all that did not go well. */
export const countedSql = [
  "COUNT(*) AS requests",
  `${how("status >= 400 OR error <> ''")} AS errors`,
  `${how(outcomeSql.refused)} AS refused`,
  `${how(outcomeSql.hang_up)} AS hang_ups`
].join(", ")
