import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { toolFinder } from "../../src/mcp/toolFinder.ts"

const functionOf = (name: string, description?: string) =>
  ({ type: "function", name, description, parameters: {}, strict: undefined }) as const
const hidden = [
  functionOf("wiki__search", "Finds pages of the wiki"),
  functionOf("jira__search_issues", "Finds issues"),
  functionOf("jira__close", "Closes an issue. Über"),
  functionOf("odd")
]
const finder = toolFinder(hidden, new Set(["tool_search"]))
const search = (args: string) =>
  Effect.map(finder.tool.run({ id: "c", name: "tool_search_", arguments: args }), ({ found = [], items }) => ({
    found: found.map(({ name }) => name),
    told: items()[1].content
  }))

describe("the search for tools", () => {
  it("has a name that no other tool has", () => {
    expect(finder.function.name).toBe("tool_search_")
    expect([...finder.tool.names]).toEqual(["tool_search_"])
  })

  it.effect.each([
    ['{"query":"search issues in JIRA"}', ["jira__search_issues", "jira__close", "wiki__search"]],
    ['{"query":"über"}', ["jira__close"]],
    ['{"query":"odd"}', ["odd"]],
    ['{"query":"weather"}', []],
    ['{"query":""}', []],
    ['{"words":"odd"}', []],
    ["{", []],
    [`{"query":"${" ".repeat(1_000)}odd"}`, []]
  ] as const)("finds for %s", ([args, names]) => Effect.map(search(args), ({ found }) => expect(found).toEqual(names)))

  it.effect("tells the model what it found", () =>
    Effect.gen(function* () {
      expect((yield* search('{"query":"issue"}')).told).toEqual([
        {
          type: "text",
          text: "These can be called now:\n- jira__search_issues: Finds issues\n- jira__close: Closes an issue. Über"
        }
      ])
      expect((yield* search('{"query":"weather"}')).told).toEqual([{ type: "text", text: "No tools found." }])
    })
  )

  it.effect("finds eight at most", () =>
    Effect.gen(function* () {
      const many = toolFinder(
        Array.from({ length: 20 }, (_, n) => functionOf(`a_${n}`)),
        new Set()
      )
      const { found } = yield* many.tool.run({ id: "c", name: "tool_search", arguments: '{"query":"a"}' })
      expect(found).toHaveLength(8)
    })
  )
})
