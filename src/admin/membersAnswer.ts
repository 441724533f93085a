import { offsetOf, pagedByOffset } from "../contract/paging.ts"
import { prefersCsv } from "../contract/prefersCsv.ts"
import { membersCsv } from "./MemberRecord.ts"
import type { MemberRecord } from "./MemberRecord.ts"

interface MembersQuery {
  readonly limit?: number | undefined
  readonly after?: string | undefined
  readonly format?: "json" | "csv" | undefined
}

/** A page of an account's people, or all of them as CSV. */
export const membersAnswer = (
  account: string,
  all: ReadonlyArray<MemberRecord>,
  { format, ...page }: MembersQuery,
  headers: Headers
) => {
  if (format === "csv" || (format === undefined && prefersCsv(headers.get("accept") ?? ""))) {
    return new Response(`${membersCsv(all)}\r\n`, {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": `attachment; filename="members-of-${account}.csv"`
      }
    })
  }
  const { limit, offset } = offsetOf(page)
  return pagedByOffset(all.slice(offset, offset + limit), page)
}
