import { isObject } from "../contract/json/json.ts"

/** An id of an object that an upstream stores, and the field that names it. */
export interface UpstreamId {
  readonly param: string
  readonly id: string
}

/** Ids of upstream objects (files, containers, conversations, prompts, …) that a request names, each once. */
export const idsAsked = (body: unknown): ReadonlyArray<UpstreamId> => idsIn(body, callsAndTexts)

/** Ids that an answer, or a frame of it, names: of what it made, and of what it only cites. */
export const idsGiven = (answer: unknown): Readonly<Record<"made" | "cited", ReadonlyArray<string>>> => {
  const made = new Set(idsIn(answer, callsAndCitations).map(({ id }) => id))
  const all = idsIn(answer, calls).map(({ id }) => id)
  return { made: [...made], cited: all.filter((id) => !made.has(id)) }
}

/** Types whose fields come from the model or a caller, and name no upstream objects. */
const calls: ReadonlySet<string> = new Set([
  "function",
  "function_call",
  "tool_use",
  "server_tool_use",
  "mcp_tool_use",
  "custom_tool_call"
])

/** Also what cites files that were there before. */
const callsAndCitations: ReadonlySet<string> = new Set([...calls, "file_citation", "file_search_call"])

/** Also texts, which make up most of a request. Their citations only inform readers. */
const callsAndTexts: ReadonlySet<string> = new Set([
  ...calls,
  "text",
  "input_text",
  "output_text",
  "summary_text",
  "refusal",
  "thinking",
  "redacted_thinking",
  "reasoning"
])

/** Longer texts are not ids. */
const longest = 256

const idsIn = (value: unknown, skipped: ReadonlySet<string>): ReadonlyArray<UpstreamId> => {
  if (typeof value !== "object" || value === null) return none
  const search: Search = { params: undefined, skipped }
  collect(value, search)
  return search.params === undefined ? none : [...search.params].map(([id, param]) => ({ id, param }))
}

interface Search {
  /** Field names by id. Undefined in most requests, which name no ids. */
  params: Map<string, string> | undefined
  readonly skipped: ReadonlySet<string>
}

const none: ReadonlyArray<never> = []

/** Runs on every request, so it does little work per field. */
const collect = (value: object, search: Search): void => {
  if (Array.isArray(value)) {
    for (const one of value) if (typeof one === "object" && one !== null) collect(one, search)
    return
  }
  if (!isObject(value)) return
  const { type } = value
  if (typeof type === "string" && search.skipped.has(type)) return
  for (const name in value) {
    const field = value[name]
    switch (name) {
      case "role":
      // Schemas and metadata use the caller's own field names.
      case "input_schema":
      case "parameters":
      case "schema":
      case "metadata":
        break
      case "file_id":
      case "container_id":
      case "vector_store_id":
        add(search, name, field)
        break
      case "skill_id":
        // Anthropic's own skills (`pptx`) are available to all accounts.
        if (type === "custom") add(search, name, field)
        break
      case "file_ids":
      case "vector_store_ids":
        if (Array.isArray(field)) for (const id of field) add(search, name, id)
        break
      case "container":
      case "conversation":
        add(search, name, field)
        if (isObject(field)) add(search, name, field["id"])
        if (typeof field === "object" && field !== null) collect(field, search)
        break
      case "prompt":
        if (isObject(field)) add(search, name, field["id"])
        if (typeof field === "object" && field !== null) collect(field, search)
        break
      default:
        if (typeof field === "object" && field !== null) collect(field, search)
    }
  }
}

const add = (search: Search, param: string, id: unknown): void => {
  // `container: "auto"` creates a new container.
  if (typeof id !== "string" || id === "" || id === "auto" || id.length > longest) return
  search.params ??= new Map()
  if (!search.params.has(id)) search.params.set(id, param)
}
