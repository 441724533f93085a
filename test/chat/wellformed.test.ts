import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { ChatCompletion } from "../../src/chat/Completion.ts"
import type { AnswerMessage } from "../../src/chat/Completion.ts"
import { choiceOf, completionOf } from "../../src/chat/encode.ts"
import { generation } from "../generation/arbitrary.ts"
import { head, run } from "./machine.ts"

interface Draft {
  content: string | null
  refusal: string | null
  reasoning_content?: string
  reasoning_details?: Array<unknown>
  annotations?: Array<unknown>
  images?: Array<unknown>
  tool_calls?: Array<{ id: string; type: string; function?: { arguments: string }; custom?: { input: string } }>
  function_call?: { name: string; arguments: string }
}

/** A client of the stream, as strict as the strictest: throws on a frame it cannot expect, answers what it read. */
const read = (frames: ReadonlyArray<string>) => {
  const message: Draft = { content: null, refusal: null }
  let role: string | undefined
  let finish: string | null = null
  let usage: unknown
  let over: "done" | "error" | undefined
  const expecting = (holds: boolean, what: string) => {
    if (!holds) throw new Error(what)
  }
  for (const line of frames.join("").split("\n\n").slice(0, -1)) {
    expecting(line.startsWith("data: ") && !line.includes("\n"), `not one data line: ${line}`)
    expecting(over === undefined, `${line} after ${over}`)
    const data = line.slice("data: ".length)
    if (data === "[DONE]") {
      expecting(finish !== null && usage !== undefined, "an early [DONE]")
      over = "done"
      continue
    }
    const chunk = JSON.parse(data)
    if (chunk.error !== undefined) {
      expect(chunk.error).toEqual({
        code: "server_error",
        message: "Internal error",
        param: null,
        type: "server_error"
      })
      over = "error"
      continue
    }
    expect(chunk).toMatchObject({ id: head.id, object: "chat.completion.chunk", created: 1, model: head.model })
    const choice = chunk.choices[0]
    if (choice === undefined) {
      expecting(finish !== null && chunk.usage !== null, "usage before the end")
      usage = chunk.usage
      continue
    }
    expecting(chunk.usage === null && finish === null && choice.index === 0, `out of order: ${data}`)
    const { delta } = choice
    if (role === undefined) {
      expect(delta).toEqual({ role: "assistant", content: "" })
      role = delta.role
      continue
    }
    finish = choice.finish_reason
    if (delta.content !== undefined) message.content = (message.content ?? "") + delta.content
    if (delta.refusal !== undefined) message.refusal = (message.refusal ?? "") + delta.refusal
    if (delta.reasoning_content !== undefined) {
      message.reasoning_content = (message.reasoning_content ?? "") + delta.reasoning_content
    }
    for (const key of ["reasoning_details", "annotations", "images"] as const) {
      if (delta[key] !== undefined) message[key] = [...(message[key] ?? []), ...delta[key]]
    }
    if (delta.function_call?.name !== undefined) message.function_call = { name: "", arguments: "" }
    if (delta.function_call !== undefined) {
      message.function_call!.name += delta.function_call.name ?? ""
      message.function_call!.arguments += delta.function_call.arguments
    }
    for (const { index, ...call } of delta.tool_calls ?? []) {
      const calls = (message.tool_calls ??= [])
      if (call.id !== undefined) {
        expecting(index === calls.length && !calls.some(({ id }) => id === call.id), `call ${index} out of order`)
        calls.push(call)
        continue
      }
      const known = calls[index]
      expecting(known !== undefined && index === calls.length - 1, `a piece of call ${index}`)
      if (known!.function !== undefined) known!.function.arguments += call.function.arguments
      else known!.custom!.input += call.custom.input
    }
  }
  expecting(over !== undefined, "the stream does not end")
  return { message: { role, ...message }, finish, usage, over }
}

describe("whatever an upstream does", () => {
  it.each([false, true])("the chunks are well-formed, and the completion is their fold (functions: %s)", (isLegacy) => {
    fc.assert(
      fc.property(generation, (events) => {
        const { frames, state } = run(events, { isLegacy })
        const told = read(frames)
        if (told.over === "error") return
        const { choices, usage } = completionOf(head, [choiceOf(state, 0)], state.usage)
        const { content, ...message }: AnswerMessage = choices[0]!.message
        expect(told.message).toEqual({ ...message, content: content === "" ? null : content })
        expect([told.finish, told.usage]).toEqual([choices[0]!.finish_reason, usage])
      }),
      { numRuns: 2_000 }
    )
  })

  it("a completion that ended is one of the contract", () => {
    const encode = Schema.encodeUnknownSync(ChatCompletion)
    fc.assert(
      fc.property(generation, fc.boolean(), (events, isLegacy) => {
        const { state } = run(events, { isLegacy })
        const completion = completionOf(head, [choiceOf(state, 0)], state.usage)
        expect(encode(completion)).toEqual(completion)
      }),
      { numRuns: 500 }
    )
  })
})
