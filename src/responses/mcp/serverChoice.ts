import type { ServerChoice } from "../../pipeline/TextFamily.ts"
import type { CreateResponse } from "../CreateResponse.ts"

interface ChosenServer {
  readonly server_label?: string | null | undefined
  readonly name?: string | null | undefined
}

/** The choice of a request among the tools of its servers; undefined if it makes none. */
export const serverChoice = (choice: CreateResponse["tool_choice"]): ServerChoice | undefined => {
  if (typeof choice !== "object" || choice === null) return undefined
  if (choice.type === "mcp") return { mode: "one", param: "tool_choice", isChosen: chosenBy([choice]) }
  if (choice.type !== "allowed_tools") return undefined
  const servers = choice.tools.filter(({ type }) => type === "mcp")
  return { mode: choice.mode, param: "tool_choice.tools", isChosen: chosenBy(servers) }
}

const chosenBy =
  (servers: ReadonlyArray<ChosenServer>): ServerChoice["isChosen"] =>
  (label, tool) =>
    servers.some(({ name, server_label: server }) => server === label && (name ?? tool) === tool)
