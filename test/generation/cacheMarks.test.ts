import { describe, expect, it } from "@effect/vitest"
import { hasMarks, markLast, markOf, fittedMarks } from "../../src/generation/cacheMarks.ts"
import type { Conversation, Item } from "../../src/generation/Conversation.ts"
import { call, conversation, result, user, weather } from "../upstreams/conversations.ts"

const mark = { cacheMark: {} }
const marked = (text: string): Item => ({ type: "message", role: "user", content: [{ type: "text", text, ...mark }] })

/** Whether each of the marked things still is: items, then system texts, then tools. */
const marks = ({ items, systemMarks, tools }: Conversation) => [
  items.map((item) => hasMarks(conversation({ items: [item] }))),
  [...(systemMarks ?? [])].map(([text]) => text),
  tools.map(({ cacheMark }) => cacheMark !== undefined)
]

describe("cache marks", () => {
  it("are read with their lifetime", () => {
    expect(markOf({ type: "ephemeral" })).toEqual({ cacheMark: {} })
    expect(markOf({ type: "ephemeral", ttl: "1h" })).toEqual({ cacheMark: { ttl: "1h" } })
    expect([markOf(null), markOf(undefined)]).toEqual([{}, {}])
    const [one, other] = [{ type: "text", text: "a" } as const, { type: "text", text: "b" } as const]
    expect(markLast([one, other], { type: "ephemeral" })).toEqual([one, { ...other, ...mark }])
    expect(markLast([], { type: "ephemeral" })).toEqual([])
  })

  it.each<Partial<Conversation>>([
    { cacheMark: {} },
    { system: ["a"], systemMarks: new Map([["a", {}]]) },
    { tools: [{ ...weather, ...mark }] },
    { items: [marked("a")] },
    { items: [user("a"), { ...call("c", "f", "{}"), ...mark }, result("c", "r")] },
    { items: [user("a"), call("c", "f", "{}"), { ...result("c", "r"), ...mark }] }
  ])("are found in %j", (over) => {
    expect(hasMarks(conversation(over))).toBe(true)
  })

  it("are four at most: the earliest of the items go first, and what stays is told", () => {
    let lost = 0
    const within = (over: Partial<Conversation>) => fittedMarks(conversation(over), () => lost++)
    const four = { system: ["s"], systemMarks: new Map([["s", {}]]), tools: [{ ...weather, ...mark }] }
    const same = conversation({ ...four, items: [marked("a"), marked("b")] })
    expect(fittedMarks(same, () => lost++)).toBe(same)
    expect(lost).toBe(0)
    const result = within({ ...four, items: [marked("a"), marked("b"), user("c"), marked("d"), marked("e")] })
    expect([lost, ...marks(result)]).toEqual([1, [false, false, false, true, true], ["s"], [true]])
    const system = ["a", "b", "c", "d"]
    const many = new Map(system.map((text) => [text, {}]))
    const bySystem = within({ ...four, system, systemMarks: many, items: [marked("x")] })
    expect(marks(bySystem)).toEqual([[false], ["b", "c", "d"], [true]])
  })

  it("of an hour behind one of five minutes, in the order of a prompt, is one of five minutes", () => {
    const told: Array<string> = []
    const hour = { cacheMark: { ttl: "1h" } } as const
    const item = marked("a")
    const late = { ...conversation({ tools: [{ ...weather, ...mark }], items: [item] }), ...hour }
    expect(fittedMarks(late, (name) => told.push(name)).cacheMark).toEqual({})
    expect(told).toEqual(["cache_control.ttl"])
    const early = conversation({ tools: [{ ...weather, ...hour }], items: [item] })
    expect(fittedMarks(early, (name) => told.push(name))).toBe(early)
  })

  it("of two texts that are the same count twice", () => {
    const system = ["s", "s"]
    const twice = { system, systemMarks: new Map([["s", {}]]), tools: [{ ...weather, ...mark }] }
    const four = conversation({ ...twice, items: [marked("a")] })
    expect(fittedMarks(four, () => {})).toBe(four)
    const five = fittedMarks(conversation({ ...twice, items: [marked("a"), marked("b")] }), () => {})
    expect(marks(five)).toEqual([[false, true], ["s"], [true]])
  })
})
