import type { Asked, DialectName } from "../../upstreams/fakes/fakeUpstream.ts"

type Any = Asked["body"]

/** What the model does next. */
export type Step =
  | { readonly type: "say"; readonly text: string }
  | {
      readonly type: "call"
      /** The same in each dialect: a call of this turn has an id of its own. */
      readonly turn: number
      readonly name: string
      readonly isCustom: boolean
      /** JSON, or the free text of a custom tool. */
      readonly input: string
    }

/**
 * A model that does what it is told, so that a program's own loop can be driven: `[[call NAME INPUT]]` in the last user
 * text that has one is called with that input, one after the other as their results come; then it says the last result.
 */
export const plan = (name: DialectName, body: Any): Step => {
  const said = conversation[name](body)
  const from = said.findLastIndex(({ role, text }) => role === "user" && order.test(text))
  const last = said.findLast(({ role, text }) => role === "user" && text !== "")?.text ?? ""
  // What was ordered and answered before the user spoke again is done.
  const isDone = said.slice(from).some(({ role }, at, rest) => role === "assistant" && rest[at + 1]?.role === "user")
  if (from === -1 || isDone) return { type: "say", text: `You said: ${last.slice(-200)}` }
  const orders = [...said[from]!.text.matchAll(new RegExp(order, "g"))]
  const results = said.slice(from).filter(({ role }) => role === "tool")
  const next = orders[results.length]
  if (next === undefined) return { type: "say", text: `The tool answered: ${results.at(-1)?.text ?? ""}` }
  const [, called = "", written = ""] = next
  // opencode quotes what it was given as a shell would.
  const input = written.includes('\\"') ? written.replaceAll('\\"', '"') : written
  const tools = toolsOf(body)
  const tool = tools.find((one) => one.name === called)
  if (tool === undefined) {
    return { type: "say", text: `There is no tool ${called}, but ${tools.map((one) => one.name).join(", ")}` }
  }
  return {
    type: "call",
    turn: said.length,
    name: called,
    isCustom: tool.type === "custom" && name !== "anthropic-messages",
    input
  }
}

const order = /\[\[call (\S+) (.*?)\]\]/s

interface Said {
  /** Of the assistant its texts alone: what it called shows in the results. */
  readonly role: "user" | "assistant" | "tool"
  readonly text: string
}

const list = (value: Any): ReadonlyArray<Any> => (Array.isArray(value) ? value : [])

const textOf = (content: Any): string =>
  typeof content === "string"
    ? content
    : list(content)
        .map((part) => part.text ?? "")
        .join("")

const conversation: Readonly<Record<DialectName, (body: Any) => ReadonlyArray<Said>>> = {
  "anthropic-messages": (body) =>
    list(body.messages).flatMap(({ content, role }): ReadonlyArray<Said> => {
      if (role !== "user")
        return role === "assistant" && textOf(content) !== "" ? [{ role, text: textOf(content) }] : []
      if (typeof content === "string") return [{ role, text: content }]
      return list(content).map((block) =>
        block.type === "tool_result" ? { role: "tool", text: textOf(block.content) } : { role, text: block.text ?? "" }
      )
    }),
  "openai-responses": (body) =>
    typeof body.input === "string"
      ? [{ role: "user", text: body.input }]
      : list(body.input).flatMap((item): ReadonlyArray<Said> => {
          if (item.role === "user" || item.role === "assistant")
            return [{ role: item.role, text: textOf(item.content) }]
          return String(item.type).endsWith("_call_output") ? [{ role: "tool", text: textOf(item.output) }] : []
        }),
  "openai-chat": (body) =>
    list(body.messages).flatMap(({ content, role }): ReadonlyArray<Said> =>
      role === "user" || role === "tool" || (role === "assistant" && textOf(content) !== "")
        ? [{ role, text: textOf(content) }]
        : []
    )
}

const toolsOf = (body: Any): ReadonlyArray<{ readonly name: string; readonly type: string }> =>
  list(body.tools)
    .flatMap((tool) => (tool.type === "namespace" ? list(tool.tools) : [tool]))
    .map((tool) => ({ type: tool.type, name: tool.function?.name ?? tool.name ?? tool.type }))
