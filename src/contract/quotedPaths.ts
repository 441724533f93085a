import { allFamilies, families } from "./kinds.ts"
import type { Family } from "./kinds.ts"

type Families = typeof families

/** The paths whose bodies can be quoted. */
export type QuotedPath = {
  [F in Family]: Families[F]["isQuoted"] extends true ? Families[F]["paths"][number] : never
}[Family]

export const quotedPaths: ReadonlyArray<QuotedPath> = allFamilies.flatMap((family): ReadonlyArray<QuotedPath> => {
  const row = families[family]
  return row.isQuoted ? row.paths : []
})
