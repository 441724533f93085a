import type { Session } from "./session.ts"

const forHolders = ["overview", "requests", "tasks", "playground"] as const
const forOperators = ["overview", "requests", "tasks", "keys", "accounts", "models", "playground"] as const
export type PageName = (typeof forOperators)[number]

/** The pages of the navigation. */
export const pagesOf = ({ kind }: Pick<Session, "kind">): ReadonlyArray<PageName> =>
  kind === "operator" ? forOperators : forHolders

/** The letter that opens a page after `g`. */
export const letterOf = (page: PageName): string => page.slice(0, 1)
