import { describe, expect, it } from "vitest"
import { readDirective } from "../../src/sandbox/directive.ts"
import { parseDirectives } from "../../src/sandbox/parseDirectives.ts"
import { readDirective as readVideoDirective } from "../../src/sandbox/video/directive.ts"

describe("directives in a text", () => {
  it("leave their settings, and a space in their place", () => {
    expect(parseDirectives("A [[sandbox: pace=1 tokens=2]] B [[sandbox:stall]]")).toEqual({
      rest: "A   B  ",
      settings: ["pace=1", "tokens=2", "stall"]
    })
    expect(parseDirectives("none [here]")).toEqual({ rest: "none [here]", settings: [] })
  })

  it("begin where the first is opened, and end at the first closing bracket where it is double", () => {
    expect(parseDirectives("[[sandbox: [[sandbox: a]] b]]")).toEqual({ rest: "  b]]", settings: ["[[sandbox:", "a"] })
    expect(parseDirectives("[[sandbox: a] b]] [[sandbox: c]]")).toEqual({
      rest: "[[sandbox: a] b]]  ",
      settings: ["c"]
    })
    expect(parseDirectives("[[sandbox: a")).toEqual({ rest: "[[sandbox: a", settings: [] })
  })

  it("are refused over 1,024 characters, over 100 settings, over 100 tools", () => {
    const ofLength = (length: number) => `[[sandbox:${"x".repeat(length - 12)}]]`
    expect(parseDirectives(ofLength(1_024))).toMatchObject({ settings: [expect.any(String)] })
    expect(parseDirectives(ofLength(1_025))).toBe("a directive has at most 1024 characters")
    expect(parseDirectives("[[sandbox: a]]".repeat(101))).toBe("directives have at most 100 settings in one text")
    const tools = `[[sandbox: tool=${"a,".repeat(49)}a]]`
    expect(readDirective(tools.repeat(2))).toMatchObject({ directive: { tools: { length: 100 } } })
    expect(readDirective(tools.repeat(3))).toMatchObject({ message: expect.stringContaining("at most 100 names") })
  })

  // Looked for again from each opening, these take minutes.
  it.each(["[[sandbox: ", "[[sandbox: ]", "[[sandbox:".padEnd(2_000)])("opened and never closed: %j", (opening) => {
    const text = opening.repeat(Math.ceil(4_000_000 / opening.length))
    expect(readDirective(text)).toMatchObject({ directive: { tokens: undefined } })
    expect(readVideoDirective(text)).toMatchObject({ right: { directive: { error: undefined } } })
  })
})
