import type { Operation } from "../src/people/signIn/reach.ts"
import { isForPeople } from "./address.ts"
import { reaches } from "./reaches.ts"
import type { Session } from "./session.ts"

const forHolders = ["overview", "requests", "tasks", "playground"] as const
const forOperators = [
  "overview",
  "requests",
  "tasks",
  "keys",
  "accounts",
  "models",
  "tools",
  "playground",
  "audit"
] as const
export type PageName = (typeof forOperators)[number]

/** The operation that a page cannot do without. */
const needs: Readonly<Record<PageName, Operation>> = {
  overview: "adminWatch.overview",
  requests: "adminOperations.listRequests",
  tasks: "adminOperations.listTasks",
  keys: "adminKeys.list",
  accounts: "adminAccounts.list",
  models: "adminOperations.models",
  tools: "adminTools.list",
  // It calls models as a key.
  playground: "adminKeys.rotateSecret",
  audit: "adminOperations.audit"
}

/** The pages of the navigation: those that the session's role reaches. */
export const pagesOf = (session: Pick<Session, "kind" | "role" | "accounts">): ReadonlyArray<PageName> =>
  isForPeople
    ? []
    : session.kind === "operator"
      ? forOperators.filter((page) => reaches(session, needs[page]))
      : forHolders

/** Letters of pages that share their first one with another page. */
const letters: Partial<Record<PageName, string>> = { audit: "u", tools: "s" }

/** The letter that opens a page after `g`. */
export const letterOf = (page: PageName): string => letters[page] ?? page.slice(0, 1)
