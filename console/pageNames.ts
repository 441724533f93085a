import type { Session } from "./session.ts"

const forHolders = ["overview", "requests", "tasks", "playground"] as const
const forOperators = ["overview", "requests", "tasks", "keys", "accounts", "models", "playground", "audit"] as const
export type PageName = (typeof forOperators)[number]

/** The pages of the navigation. */
export const pagesOf = ({ kind }: Pick<Session, "kind">): ReadonlyArray<PageName> =>
  kind === "operator" ? forOperators : forHolders

/** The letter that opens a page after `g`; `a` is for accounts. */
export const letterOf = (page: PageName): string => (page === "audit" ? "u" : page.slice(0, 1))
