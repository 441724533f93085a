import { isJsonObject } from "../../contract/fields.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { callOf, indent, listOf, objectOf, partsOf, resultOf, textOf } from "./parts.ts"
import type { Part, TranscriptMessage } from "./Transcript.ts"

/** The turns of a request's body, in any family's form. */
export const askedTurns = (body: JsonObject): ReadonlyArray<TranscriptMessage> => {
  const { content, input, instructions, messages, system } = body
  const turns = [
    turn("system", [...partsOf(system), ...partsOf(instructions)]),
    ...(typeof messages === "string" ? [turn("user", partsOf(messages))] : listOf(messages).map(messageTurn)),
    ...(typeof input === "string" ? [turn("user", partsOf(input))] : listOf(input).map(itemTurn)),
    // A video's.
    turn("user", partsOf(content ?? body["prompt"]))
  ]
  return join(turns)
}

/** The turns of an answer, in any family's form. */
export const answerTurns = (body: JsonObject): ReadonlyArray<TranscriptMessage> => {
  const { choices, content, output } = body
  const turns = [
    ...listOf(choices).map((choice) => messageTurn(objectOf(choice)["message"])),
    ...listOf(output).map(itemTurn),
    turn("assistant", Array.isArray(content) ? partsOf(content) : [])
  ]
  return join(turns).map((one) => ({ ...one, role: one.role === "" ? "assistant" : one.role, isAnswer: true }))
}

const turn = (role: string, parts: ReadonlyArray<Part>): TranscriptMessage => ({ role, isAnswer: false, parts })

/** A message of chat completions or messages. */
const messageTurn = (value: unknown): TranscriptMessage => {
  if (!isJsonObject(value)) return turn("user", partsOf(value))
  const role = textOf(value["role"]) ?? ""
  if (role === "tool" || role === "function") {
    return turn("tool", [resultOf(value["tool_call_id"] ?? value["name"], value["content"], false)])
  }
  const reasoning = textOf(value["reasoning_content"]) ?? textOf(value["reasoning"])
  return turn(role, [
    ...(reasoning === undefined || reasoning === "" ? [] : [{ kind: "reasoning" as const, text: reasoning }]),
    ...partsOf(value["content"]),
    ...(typeof value["refusal"] === "string" ? [{ kind: "refusal" as const, text: value["refusal"] }] : []),
    ...[...listOf(value["tool_calls"]), ...listOf([value["function_call"]])].flatMap(chatCall)
  ])
}

const chatCall = (value: unknown): ReadonlyArray<Part> => {
  if (!isJsonObject(value)) return []
  const called = objectOf(value["function"] ?? value["custom"] ?? value)
  return [callOf(called["name"], value["id"], called["arguments"] ?? called["input"])]
}

/** An item of responses. An embedding's input may also be texts or tokens. */
const itemTurn = (value: unknown): TranscriptMessage => {
  if (!isJsonObject(value)) return turn("user", typeof value === "string" ? partsOf(value) : partsOf(indent(value)))
  const type = textOf(value["type"]) ?? "message"
  if (type === "message") return turn(textOf(value["role"]) ?? "", partsOf(value["content"]))
  return turn(type.endsWith("_output") ? "tool" : "assistant", partsOf(value))
}

/** Turns that follow one another under the same role are one; empty ones are none. */
const join = (turns: ReadonlyArray<TranscriptMessage>): ReadonlyArray<TranscriptMessage> => {
  const all: Array<{ role: string; isAnswer: boolean; parts: Array<Part> }> = []
  for (const { isAnswer, parts, role } of turns) {
    if (parts.length === 0) continue
    const last = all.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else all.push({ role, isAnswer, parts: [...parts] })
  }
  return all
}
