import { outcomeSql } from "./matching.ts"

const how = (condition: string) => `CAST(SUM(CASE WHEN ${condition} THEN 1 ELSE 0 END) AS BIGINT)`

/** How rows of `requests` ended, and what they cost, as columns of a query that groups them. `errors`: all that did not go well. */
export const countedSql = [
  "COUNT(*) AS requests",
  `${how("status >= 400 OR error <> ''")} AS errors`,
  `${how(outcomeSql.refused)} AS refused`,
  `${how(outcomeSql.hang_up)} AS hang_ups`,
  "CAST(SUM(COALESCE(cost_nano_usd, 0)) AS BIGINT) AS cost_nano_usd"
].join(", ")
