import { Effect } from "effect"
import { csvAnswer, wantsCsv } from "../contract/text/csvAnswer.ts"
import type { UsageQuestion } from "./usageReportOf.ts"
import type { UsageRecord } from "./UsageRecord.ts"
import { usageCsv } from "./usageTable.ts"

interface UsageAnswerQuery extends UsageQuestion {
  readonly format?: "json" | "csv" | undefined
}

/** Rows of CSV, which has no pages that a reader would turn. */
const csvRows = 10_000

/** A usage report as the request wants it: JSON or CSV. */
export const usageAnswer = <E, R>(
  { format, ...question }: UsageAnswerQuery,
  headers: Headers,
  report: (question: UsageQuestion) => Effect.Effect<UsageRecord, E, R>
): Effect.Effect<UsageRecord | Response, E, R> => {
  if (!wantsCsv(format, headers)) return report(question)
  return Effect.gen(function* () {
    const found = yield* report({ ...question, limit: question.limit ?? csvRows })
    const rest: Record<string, string> = {
      ...(found.next !== null && { "x-gateway-next": found.next }),
      ...(found.rows_since !== undefined && { "x-gateway-rows-since": found.rows_since })
    }
    return csvAnswer(yield* usageCsv(found), `usage-by-${found.by.replace(",", "-")}`, rest)
  })
}
