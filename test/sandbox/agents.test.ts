import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Conversation, FunctionTool } from "../../src/generation/Conversation.ts"
import { conversation, said } from "../generation/conversations.ts"
import { withoutAsides } from "../../src/sandbox/withoutAsides.ts"
import { asking, callsIn, endOf, run, textIn } from "./run.ts"

const tool = (name: string): FunctionTool => ({
  type: "function",
  name,
  description: undefined,
  parameters: { type: "object", properties: {} },
  strict: undefined
})
const tools = [tool("shell_command"), tool("update_plan"), tool("Bash")]
const names = (given: Conversation) => Effect.map(run(given), (events) => callsIn(events).map((call) => call.name))

const environment = "<environment_context>\n  <shell>bash</shell>\n  <cwd>/plan</cwd>\n</environment_context>"
const reminder = "<system-reminder>Update the plan with bash.</system-reminder>"

describe("the sandbox's question", () => {
  it.effect("is the last text of the user, not what its agent says before it", () =>
    Effect.gen(function* () {
      const items = [said("user", "# How to work\nUse bash."), said("user", environment), said("user", "Say hello")]
      const events = yield* run(conversation({ items, tools }))
      expect(callsIn(events)).toEqual([])
      expect(textIn(events)).toContain('You said: "Say hello".')
    })
  )

  it.effect("is the user's own words where the agent says something in the same message, or after it", () =>
    Effect.gen(function* () {
      const within = said("user", `${reminder}\nSay hello`)
      expect(textIn(yield* run(conversation({ items: [within], tools })))).toBe('You said: "Say hello".')
      const after = conversation({ items: [said("user", "Say hello"), said("user", environment)], tools })
      expect(textIn(yield* run(after))).toBe('You said: "Say hello".')
    })
  )

  it.effect("stays the user's in a tool loop whose results come with a reminder", () =>
    Effect.gen(function* () {
      const items = [
        said("user", "[[sandbox: tokens=3]] Say hello"),
        { type: "tool-call", callId: "c", name: "Bash", arguments: "{}", kind: "function" } as const,
        { type: "tool-result", callId: "c", content: [{ type: "text", text: "done" }], isError: false } as const,
        said("user", reminder)
      ]
      const events = yield* run(conversation({ items, tools }))
      expect(callsIn(events)).toEqual([])
      expect(endOf(events)).toMatchObject({ reason: "stop" })
      expect(textIn(events)).not.toContain("done")
    })
  )

  it.effect(
    "calls its tools once, also where the agent goes on by itself when something in the background has ended",
    () =>
      Effect.gen(function* () {
        const items = [
          said("user", "[[sandbox: tool=Bash]] Go"),
          { type: "tool-call", callId: "c", name: "Bash", arguments: "{}", kind: "function" } as const,
          { type: "tool-result", callId: "c", content: [{ type: "text", text: "begun" }], isError: false } as const,
          said("assistant", "It is running."),
          said("user", "<system-reminder>The command has ended.</system-reminder>")
        ]
        expect(yield* names(conversation({ items, tools }))).toEqual([])
        expect(
          yield* names(conversation({ items: [...items, said("user", "[[sandbox: tool=Bash]] Go")], tools }))
        ).toEqual(["Bash"])
      })
  )

  it("leaves a text alone that only opens or closes such a part", () => {
    for (const text of ["a <system-reminder> b", "a </system-reminder> b", "</system-reminder><system-reminder>"]) {
      expect(withoutAsides(text)).toBe(text)
    }
    expect(withoutAsides(`a ${reminder} b ${reminder}${environment} c <system-reminder>`)).toBe(
      "a  b  c <system-reminder>"
    )
  })
})

describe("the sandbox's directive tool=none", () => {
  it.effect("calls no tool, whatever the text and the choice say", () =>
    Effect.gen(function* () {
      const given = asking("[[sandbox: tool=none]] Run bash", { tools })
      expect(yield* names({ ...given, tools })).toEqual([])
      expect(textIn(yield* run(given))).toBe('You said: "Run bash".')
      expect(yield* names({ ...given, toolChoice: { type: "required", names: undefined } })).toEqual([])
    })
  )

  it.effect("stands alone", () =>
    Effect.gen(function* () {
      for (const text of ["[[sandbox: tool=Bash tool=none]]", "[[sandbox: tool=none tool=Bash]]"]) {
        const refused = yield* Effect.flip(run(asking(text, { tools })))
        expect(refused).toMatchObject({ _tag: "InvalidRequest" })
        expect(refused).toHaveProperty("message", expect.stringContaining("none stands alone"))
      }
    })
  )
})

describe("the ids of the sandbox's calls", () => {
  it.effect("begin as the caller's dialect has them", () =>
    Effect.gen(function* () {
      const idOf = (family: "messages" | "responses" | "chat") =>
        Effect.map(run(asking("Run bash", { tools }), { family }), (events) => callsIn(events)[0]?.callId)
      expect(yield* idOf("messages")).toMatch(/^toolu_\w+$/)
      expect(yield* idOf("responses")).toMatch(/^call_\w+$/)
      expect(yield* idOf("chat")).toMatch(/^call_\w+$/)
    })
  )
})
