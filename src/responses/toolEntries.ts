import type { CreateResponse } from "./CreateResponse.ts"
import { isClientTool } from "./clientTools/clientTools.ts"
import { isSearchEntry } from "./ToolEntry.ts"
import type { CustomEntry, FunctionEntry, WebSearchEntry } from "./ToolEntry.ts"

type Echo = Readonly<Record<string, unknown>>

/** The tools in effect, for the response object. */
export const toolEntries = ({ tools }: Pick<CreateResponse, "tools">): ReadonlyArray<Echo> => {
  const entries: Array<Echo> = []
  let mayHaveSearch = true
  for (const entry of tools ?? []) {
    if (entry.type === "function" || entry.type === "custom") entries.push(callableEcho(entry))
    else if (entry.type === "namespace") entries.push({ ...echo(entry), tools: entry.tools.map(callableEcho) })
    else if (isClientTool(entry)) entries.push(echo(entry))
    else if (isSearchEntry(entry) && mayHaveSearch) {
      // A model can have one search tool.
      mayHaveSearch = false
      entries.push(searchEcho(entry))
    }
  }
  return entries
}

/** Drops absent fields and nulls. */
const echo = (entry: object): Echo =>
  Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null && value !== undefined))

/** Clients' schemas require every field of a function, with null if the request omitted it. */
const callableEcho = (entry: FunctionEntry | CustomEntry): Echo =>
  entry.type === "custom"
    ? echo(entry)
    : {
        type: entry.type,
        name: entry.name,
        description: entry.description ?? null,
        parameters: entry.parameters ?? null,
        strict: entry.strict ?? null
      }

const searchEcho = (entry: WebSearchEntry) => ({
  type: entry.type,
  filters: entry.filters ?? entry.filter ?? null,
  search_context_size: entry.search_context_size ?? "medium",
  user_location: entry.user_location ? { ...entry.user_location, type: "approximate" } : null
})
