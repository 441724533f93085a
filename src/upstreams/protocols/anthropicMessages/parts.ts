import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import type { ClaudePart } from "../../../config/providers/claudePlaces.ts"
import { markedSystem } from "../documents.ts"

/** A part of a request in Anthropic's dialect. */
interface Part {
  /** The name of what is lost without it; undefined if it only changes its form. */
  readonly name: string | undefined
  /** The body without the part; the same object if it has none. */
  readonly without: (body: JsonObject) => JsonObject
}

/** A field of the body. */
const field = (name: string): Part => ({
  name,
  without: (body) => {
    if (body[name] === undefined) return body
    const { [name]: _, ...rest } = body
    return rest
  }
})

/** A field of `output_config`. */
const outputField = (name: string): Part => ({
  name: `output_config.${name}`,
  without: (body) => {
    const { [name]: value, ...rest } = objectAt(body, "output_config") ?? {}
    return value === undefined
      ? body
      : setting(body, "output_config", Object.keys(rest).length === 0 ? undefined : rest)
  }
})

/** A field of the caller's tools. */
const toolField = (name: string): Part => ({
  name: `tools[].${name}`,
  without: (body) => {
    const tools = mapped(listAt(body, "tools"), (tool) => stripped(tool, name))
    return tools === undefined ? body : { ...body, tools }
  }
})

/** Some edits of `context_management`; without any left, there is none. */
const edits = (isPart: (type: string) => boolean): Part => ({
  name: "context_management",
  without: (body) => {
    const managed = objectAt(body, "context_management")
    if (managed === undefined) return body
    const all = listAt(managed, "edits")
    const left = all.filter((edit) => !isPart(textAt(edit, "type") ?? ""))
    if (left.length === all.length && (all.length > 0 || !isPart(""))) return body
    return setting(body, "context_management", left.length === 0 ? undefined : { ...managed, edits: left })
  }
})

/** A field of every cache mark: of the tools, of the system text, of the turns and of the results in them. */
const markField = (name: string): Part => {
  const unmarked = (block: unknown): unknown => {
    if (!isObject(block)) return block
    const mark = objectAt(block, "cache_control")
    const content = mapped(listAt(block, "content"), unmarked)
    if (mark?.[name] === undefined && content === undefined) return block
    return {
      ...block,
      ...(content !== undefined && { content }),
      ...(mark?.[name] !== undefined && { cache_control: stripped(mark, name) })
    }
  }
  return {
    name: `cache_control.${name}`,
    without: (body) =>
      ["tools", "system", "messages"].reduce(
        (left, key) => {
          const changed = mapped(listAt(left, key), unmarked)
          return changed === undefined ? left : { ...left, [key]: changed }
        },
        unmarkedTop(body, name)
      )
  }
}

const unmarkedTop = (body: JsonObject, name: string): JsonObject => {
  const mark = objectAt(body, "cache_control")
  return mark?.[name] === undefined ? body : { ...body, cache_control: stripped(mark, name) }
}

/** Something of the turns. */
const turns = (name: string | undefined, change: (turn: JsonObject) => unknown): Part => ({
  name,
  without: (body) => {
    const messages = mapped(listAt(body, "messages"), (turn) => (isObject(turn) ? change(turn) : turn))
    return messages === undefined ? body : { ...body, messages: messages.filter((turn) => turn !== undefined) }
  }
})

const isToolChange = (block: unknown): boolean => /^tool_(?:addition|removal)$/.test(textAt(block, "type") ?? "")

/** A turn without changes of the tools; undefined if it is nothing else. */
const withoutToolChanges = (turn: JsonObject): JsonObject | undefined => {
  const content = listAt(turn, "content")
  const left = content.filter((block) => !isToolChange(block))
  if (left.length === content.length) return turn
  return left.length === 0 ? undefined : { ...turn, content: left }
}

/** System text between the turns as the user's, marked. */
const systemAsUser = (turn: JsonObject): JsonObject => {
  if (turn["role"] !== "system") return turn
  const { content } = turn
  const marked = (text: string) => ({ type: "text", text: markedSystem(text) })
  return {
    ...turn,
    role: "user",
    content:
      typeof content === "string"
        ? [marked(content)]
        : listAt(turn, "content").map((block) =>
            textAt(block, "type") === "text" && isObject(block)
              ? { ...block, ...marked(textAt(block, "text") ?? "") }
              : block
          )
  }
}

/** Parts that hang on betas, or that some places lack. */
export const parts: Readonly<Record<ClaudePart, Part>> = {
  "context_management.edits": edits((type) => !type.startsWith("compact_")),
  "context_management.compact": edits((type) => type.startsWith("compact_")),
  mcp_servers: field("mcp_servers"),
  container: field("container"),
  speed: field("speed"),
  diagnostics: field("diagnostics"),
  // The field's older name.
  output_format: {
    name: undefined,
    without: (body) => {
      const { output_format: format, ...rest } = body
      if (format === undefined) return body
      return { ...rest, output_config: { format, ...objectAt(body, "output_config") } }
    }
  },
  "output_config.task_budget": outputField("task_budget"),
  "output_config.effort": outputField("effort"),
  "cache_control.scope": markField("scope"),
  "cache_control.ttl": markField("ttl"),
  defer_loading: toolField("defer_loading"),
  input_examples: toolField("input_examples"),
  allowed_callers: toolField("allowed_callers"),
  "messages[].tool_changes": turns("content.tool_addition", withoutToolChanges),
  "messages[].output_config": turns("messages[].output_config", (turn) => stripped(turn, "output_config")),
  "messages[].system": turns("messages[].role", systemAsUser),
  cache_control: field("cache_control"),
  inference_geo: field("inference_geo")
}

/** A body without Anthropic's tools of some types, unless they are all that it has or one of them must be called. */
export const withoutTools = (
  body: JsonObject,
  types: RegExp
): { readonly body: JsonObject; readonly names: ReadonlyArray<string> } => {
  const tools = listAt(body, "tools")
  const dropped = tools.filter((tool) => types.test(textAt(tool, "type") ?? ""))
  if (dropped.length === 0 || dropped.length === tools.length) return { body, names: [] }
  const choice = objectAt(body, "tool_choice")
  const forced = textAt(choice, "type") === "tool" ? textAt(choice, "name") : undefined
  if (forced !== undefined && dropped.some((tool) => textAt(tool, "name") === forced)) return { body, names: [] }
  const names = dropped.map((tool) => textAt(tool, "type") ?? "")
  return {
    body: { ...body, tools: tools.filter((tool) => !dropped.includes(tool)) },
    names: names.map((type) => (type.startsWith("web_search_") ? "tools.web_search" : `tools.${type}`))
  }
}

const setting = (body: JsonObject, name: string, value: JsonObject | undefined): JsonObject => {
  const { [name]: _, ...rest } = body
  return value === undefined ? rest : { ...rest, [name]: value }
}

/** An object without a field; the same one if it has none. */
const stripped = (value: unknown, name: string): unknown => {
  if (!isObject(value) || value[name] === undefined) return value
  const { [name]: _, ...rest } = value
  return rest
}

/** A list with changed elements; undefined if none changes. */
const mapped = (
  list: ReadonlyArray<unknown>,
  change: (element: unknown) => unknown
): ReadonlyArray<unknown> | undefined => {
  let isChanged = false
  const all = list.map((element) => {
    const changed = change(element)
    isChanged ||= changed !== element
    return changed
  })
  return isChanged ? all : undefined
}
