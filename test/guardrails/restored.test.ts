import { Runtime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { AccountId, KeyId } from "../../src/contract/callers/Caller.ts"
import type { Generation } from "../../src/generation/Generation.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { GuardedGeneration } from "../../src/guardrails/GuardedGeneration.ts"
import { restorer } from "../../src/guardrails/restorer.ts"
import { Words } from "../../src/guardrails/Words.ts"
import { Redacted } from "effect"
import { allow, secret, startHook } from "./startGuarded.ts"
import type { HookQuestion } from "./startGuarded.ts"

const hook = startHook()
afterAll(() => hook.stop())

const entry = { url: hook.url, secret: Redacted.make(secret), mode: "redact", hold_ms: 5_000 } as const
const words = (placeholders: Readonly<Record<string, string>>) => {
  const made = new Words()
  made.add(placeholders)
  return made
}
const placeholders = { "<P_1>": 'Ann "Lee"', "<P_12>": "Bob", "<P": "Cy", P_1: "Di" }
const request = {
  guards: [{ name: "g", entry }],
  record: undefined,
  words: words(placeholders),
  isReplaceable: true,
  tell: () => {},
  requestId: "req_1",
  family: "chat",
  model: "m",
  caller: { account: AccountId.make("a"), key: KeyId.make("k") }
}

const generationOf = (events: ReadonlyArray<GenerationEvent>): Generation => {
  const left = [...events]
  return {
    next: () => {
      const event = left.shift()
      return Promise.resolve(event === undefined ? undefined : [event])
    },
    cancel: () => void left.splice(0)
  }
}

const finished = { type: "finished", reason: "stop", stopSequence: null } as const

/** What is sent of events under a guardrail. */
const sentOf = async (events: ReadonlyArray<GenerationEvent>, looksOut: boolean, stream = true) => {
  const guarding = { runtime: Runtime.defaultRuntime, request, looksOut, stream }
  const guarded = new GuardedGeneration(generationOf([...events, finished]), guarding)
  const sent: Array<GenerationEvent> = []
  for (let batch = await guarded.next(); batch !== undefined; batch = await guarded.next()) sent.push(...batch)
  return sent
}
const textOf = (events: ReadonlyArray<GenerationEvent>, of = "text-delta") =>
  events.map((event) => (event.type === of && "text" in event ? event.text : "")).join("")

const text = "Hi <P_1>, <P_12> <P_1 and <<P_1>> met. Then <P_12 said secret! <P_13> <P"
const whole = restorer(placeholders)?.whole(text, false) ?? ""

/** A text in pieces, cut at each of these places. */
const pieces = (cuts: ReadonlyArray<number>) =>
  [0, ...cuts].map((from, index) => ({ type: "text-delta", text: text.slice(from, cuts[index]) }) as const)
const places = Array.from({ length: text.length + 1 }, (_, at) => at)

describe("words come back in the place of their placeholders", () => {
  it("for each pair of cuts of a stream", async () => {
    expect(whole).toContain('Hi Ann "Lee", Bob')
    for (const first of places) {
      for (const second of places.slice(first)) {
        expect(textOf(await sentOf(pieces([first, second]), false))).toBe(whole)
      }
    }
  })

  it("letter by letter, and a text that is no placeholder leaves at once", async () => {
    expect(textOf(await sentOf(pieces(places.slice(1, -1)), false))).toBe(whole)
    const guarding = {
      runtime: Runtime.defaultRuntime,
      request,
      looksOut: false,
      stream: true
    }
    const guarded = new GuardedGeneration(generationOf([{ type: "text-delta", text: "Hello <P_" }]), guarding)
    expect(await guarded.next()).toEqual([{ type: "text-delta", text: "Hello " }])
  })

  it("in the JSON of a tool's arguments, also where it is escaped, and not in reasoning", async () => {
    const call = { callId: "c", name: "mail", kind: "function" } as const
    const json = '{"to":"\\u003cP_1>","n":1.0}'
    const events: ReadonlyArray<GenerationEvent> = [
      { type: "reasoning-start" },
      { type: "reasoning-delta", text: "To <P_12>" },
      { type: "reasoning-end", signature: "s" },
      { type: "tool-call-start", ...call },
      ...json.split("").map((one) => ({ type: "tool-call-delta", callId: "c", text: one }) as const),
      { type: "tool-call-end", callId: "c" }
    ]
    hook.answers(allow)
    for (const looksOut of [false, true]) {
      const sent = await sentOf(events, looksOut)
      expect(textOf(sent, "tool-call-delta")).toBe('{"to":"Ann \\"Lee\\"","n":1.0}')
      expect(textOf(sent, "reasoning-delta")).toBe("To <P_12>")
      expect(sent).toContainEqual({ type: "reasoning-end", signature: "s" })
    }
  })
})

describe("nothing leaves before a guardrail has seen it", () => {
  const hide = ({ texts }: HookQuestion) =>
    Response.json({ verdict: "replace", texts: texts.map((one) => one.text.replaceAll("secret", "***")) })

  it("wherever a stream is cut", async () => {
    hook.answers(hide)
    for (const first of places) {
      const sent = textOf(await sentOf(pieces([first, Math.min(text.length, first + 3)]), true))
      expect(sent).toBe(whole.replace("secret", "***"))
    }
    const asked = hook.seen.flatMap(({ texts }) => texts.map((one) => one.text))
    expect(asked.some((one) => one.includes("met."))).toBe(true)
    expect(asked.join("")).not.toContain("Ann")
  })

  it("sentence by sentence, and a replaced text loses its citations, reasoning its signature", async () => {
    hook.answers(hide)
    const citation = { url: "https://a", title: "A", citedText: "c", start: 0, end: 1 }
    const sent = await sentOf(
      [
        { type: "reasoning-start" },
        { type: "reasoning-delta", text: "A secret" },
        { type: "reasoning-end", signature: "s" },
        { type: "text-start" },
        { type: "text-delta", text: "It is secret. ", logprobs: [{ token: "secret" }] },
        { type: "text-delta", text: "Indeed. And" },
        { type: "citation", citation },
        { type: "text-end" },
        { type: "text-start" },
        { type: "text-delta", text: "Fine" },
        { type: "citation", citation },
        { type: "text-end" }
      ],
      true
    )
    expect(JSON.stringify(sent)).not.toContain("secret")
    expect(sent).toContainEqual({ type: "reasoning-end", signature: undefined })
    expect(sent.filter(({ type }) => type === "citation")).toHaveLength(1)
  })

  it("not in the error of a server's call either", async () => {
    hook.answers(hide)
    const message = "no row secret"
    for (const error of [
      { type: "mcp_protocol_error", code: -32_602, message },
      { type: "mcp_tool_execution_error", content: [{ type: "text", text: message }] }
    ] as const) {
      const end = { type: "server-call-end", id: "c", result: { text: message, error } } as const
      const sent = JSON.stringify(await sentOf([end], true))
      expect(sent).not.toContain("secret")
      expect(sent.match(/no row \*\*\*/g)).toHaveLength(2)
    }
  })

  it("not even if it fails closed in the middle", async () => {
    let calls = 0
    hook.answers(() => (++calls === 1 ? allow() : new Response(null, { status: 500 })))
    const sent = await sentOf(
      [
        { type: "text-delta", text: "One. Two" },
        { type: "text-delta", text: " more. " }
      ],
      true
    )
    expect(textOf(sent)).toBe("One.")
    expect(sent.at(-1)).toMatchObject({ type: "failed", failure: { _tag: "Unavailable" } })
  })

  it("and a text without an end leaves within hold_ms", async () => {
    hook.answers(allow)
    const guards = [{ name: "g", entry: { ...entry, hold_ms: 100 } }]
    const guarding = {
      runtime: Runtime.defaultRuntime,
      request: { ...request, guards, words: words({}) },
      looksOut: true,
      stream: true
    }
    const silent: Generation = { next: () => silentAfter.shift() ?? new Promise(() => {}), cancel: () => {} }
    const silentAfter = [Promise.resolve([{ type: "text-delta", text: "no end in si" } as const])]
    const guarded = new GuardedGeneration(silent, guarding)
    expect(await guarded.next()).toEqual([{ type: "text-delta", text: "no end in" }])
    expect(await guarded.next()).toEqual([{ type: "text-delta", text: " si" }])
  })
})
