import { offsetOf, pagedByOffset } from "../contract/paging.ts"
import { csvAnswer, wantsCsv } from "../contract/text/csvAnswer.ts"
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
  if (wantsCsv(format, headers)) return csvAnswer(membersCsv(all), `members-of-${account}`)
  const { limit, offset } = offsetOf(page)
  return pagedByOffset(all.slice(offset, offset + limit), page)
}
