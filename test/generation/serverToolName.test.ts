import { describe, expect, it } from "@effect/vitest"
import { FastCheck as fc } from "effect"
import { serverToolNames } from "../../src/generation/serverToolName.ts"
import type { NamedTool } from "../../src/generation/serverToolName.ts"
import { caseCount } from "../caseCount.ts"

const nameOf = (label: string, tool: string, taken: ReadonlyArray<string> = []) =>
  serverToolNames([{ label, tool }], new Set(taken))[0]

describe("a model's name for a tool of a server", () => {
  it.each([
    ["jira", "search", "jira__search"],
    ["jira", "search.issues/all", "jira__search_issues_all"],
    ["1st", "go", "_1st__go"],
    ["-x", "go", "_-x__go"],
    ["jira", "größe", "jira__gr__e"]
  ])("%s, %s", (label, tool, name) => {
    expect(nameOf(label, tool)).toBe(name)
  })

  it("ends in a hash where it is too long, or where the caller has a function of that name", () => {
    const long = "t".repeat(128)
    expect(nameOf("jira", long)).toMatch(/^jira__t{49}_[0-9a-f]{8}$/)
    const hashed = nameOf("jira", "search", ["jira__search"])
    expect(hashed).toMatch(/^jira__search_[0-9a-f]{8}$/)
    const again = nameOf("jira", "search", ["jira__search", hashed ?? ""])
    expect(again).toMatch(/^jira__search_[0-9a-f]{8}$/)
    expect(again).not.toBe(hashed)
  })

  it("ends in a hash for each of two that would be the same", () => {
    const names = serverToolNames(
      [
        { label: "a", tool: "b.c" },
        { label: "a", tool: "b_c" },
        { label: "a", tool: "b__c" },
        { label: "a__b", tool: "c" },
        { label: "a", tool: "d" }
      ],
      new Set()
    )
    expect(names.map((name) => name.replace(/_[0-9a-f]{8}$/, "#"))).toEqual([
      "a__b_c#",
      "a__b_c#",
      "a__b__c#",
      "a__b__c#",
      "a__d"
    ])
    expect(new Set(names).size).toBe(5)
  })

  const label = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/)
  const tool = fc.oneof(
    fc.string({ minLength: 1, maxLength: 128, unit: "grapheme" }),
    fc.stringMatching(/^[a-c_.]{1,4}$/)
  )
  const tools = fc.uniqueArray(fc.record({ label, tool }), {
    minLength: 1,
    maxLength: 30,
    selector: (one) => `${one.label}/${one.tool}`
  })

  it("is one that every upstream takes, unique, and the same in any order", () => {
    fc.assert(
      fc.property(tools, fc.array(fc.stringMatching(/^[a-c_]{1,6}$/)), (some, own) => {
        const taken = new Set(own)
        const names = serverToolNames(some, taken)
        for (const name of names) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)
        expect(new Set(names).size).toBe(some.length)
        expect(names.some((name) => taken.has(name))).toBe(false)
        const turned: ReadonlyArray<NamedTool> = some.toReversed()
        expect(serverToolNames(turned, taken).toReversed()).toEqual(names)
      }),
      { numRuns: caseCount(500) }
    )
  })
})
