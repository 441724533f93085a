import { isObject } from "../contract/json.ts"

/** An id of something that an upstream keeps, and the field that names it. */
export interface UpstreamId {
  readonly param: string
  readonly id: string
}

/** What a request names of what its upstream keeps (files, containers, conversations, prompts, …), each once. */
export const idsAsked = (body: unknown): ReadonlyArray<UpstreamId> => idsIn(body, asked)

/** What an answer, or a frame of it, names. */
export const idsGiven = (answer: unknown): ReadonlyArray<UpstreamId> => idsIn(answer, calls)

/** Kinds whose fields are the model's or a caller's own: nothing of an upstream's is named there. */
const calls: ReadonlySet<string> = new Set([
  "function",
  "function_call",
  "tool_use",
  "server_tool_use",
  "mcp_tool_use",
  "custom_tool_call"
])

/** And texts, of which a request mostly consists. What they cite is named for readers. */
const asked: ReadonlySet<string> = new Set([
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

/** A longer one is none. */
const longest = 256

const idsIn = (value: unknown, skipped: ReadonlySet<string>): ReadonlyArray<UpstreamId> => {
  if (typeof value !== "object" || value === null) return none
  const found: Found = { params: undefined, skipped }
  collect(value, found)
  return found.params === undefined ? none : [...found.params].map(([id, param]) => ({ id, param }))
}

interface Found {
  /** By id. Most requests name none. */
  params: Map<string, string> | undefined
  readonly skipped: ReadonlySet<string>
}

const none: ReadonlyArray<never> = []

/** Every request is looked through: as few steps for each of its fields as can be. */
const collect = (value: object, found: Found): void => {
  if (Array.isArray(value)) {
    for (const one of value) if (typeof one === "object" && one !== null) collect(one, found)
    return
  }
  if (!isObject(value)) return
  const { type } = value
  if (typeof type === "string" && found.skipped.has(type)) return
  for (const name in value) {
    const field = value[name]
    switch (name) {
      case "role":
      // In words of the caller's own.
      case "input_schema":
      case "parameters":
      case "schema":
      case "metadata":
        break
      case "file_id":
      case "container_id":
      case "vector_store_id":
        add(found, name, field)
        break
      case "skill_id":
        // Those that Anthropic makes (`pptx`) are everybody's.
        if (type === "custom") add(found, name, field)
        break
      case "file_ids":
      case "vector_store_ids":
        if (Array.isArray(field)) for (const id of field) add(found, name, id)
        break
      case "container":
      case "conversation":
        add(found, name, field)
        if (isObject(field)) add(found, name, field["id"])
        collectWithin(field, found)
        break
      case "prompt":
        if (isObject(field)) add(found, name, field["id"])
        collectWithin(field, found)
        break
      default:
        collectWithin(field, found)
    }
  }
}

const collectWithin = (field: unknown, found: Found): void => {
  if (typeof field === "object" && field !== null) collect(field, found)
}

const add = (found: Found, param: string, id: unknown): void => {
  // `container: "auto"` makes a new one.
  if (typeof id !== "string" || id === "" || id === "auto" || id.length > longest) return
  found.params ??= new Map()
  if (!found.params.has(id)) found.params.set(id, param)
}
