import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { all, connected, fakeServer, modern, result, tool } from "./fakeServer.ts"

const listed = (tools: ReadonlyArray<object>) =>
  Effect.gen(function* () {
    const server = yield* fakeServer(modern(tools))
    const { list } = yield* connected(server.url)
    return yield* list(all)
  })

const nested = (levels: number): object => {
  let schema: object = { type: "string" }
  for (let level = 0; level < levels; level++) schema = { type: "object", properties: { a: schema } }
  return schema
}

describe("a list", () => {
  it.scopedLive("without end is read for ten pages, one that goes round in a circle for one circle", () =>
    Effect.gen(function* () {
      const pages = (cursor: (at: number) => string) =>
        Effect.gen(function* () {
          let at = 0
          const server = yield* fakeServer((seen) =>
            result(seen, { resultType: "complete", tools: [tool(`t${at++}`)], nextCursor: cursor(at) })
          )
          const { list } = yield* connected(server.url)
          return yield* list(all)
        })
      const endless = yield* pages((at) => `page ${at}`)
      expect(endless.tools).toHaveLength(10)
      expect(endless.warnings).toEqual(["it lists more than 10 pages: the rest is left out"])
      expect((yield* pages(() => "the same")).tools).toHaveLength(2)
    })
  )

  it.scopedLive("of 5,000 tools gives the first 128 of those that are admitted", () =>
    Effect.gen(function* () {
      const tools = Array.from({ length: 5_000 }, (_, at) => tool(`t${at}`))
      const server = yield* fakeServer(modern(tools))
      const { list } = yield* connected(server.url)
      const { tools: given, warnings } = yield* list(({ name }) => name.endsWith("9"))
      expect([given.length, given[0]?.name]).toEqual([128, "t9"])
      expect(warnings).toEqual(["it lists 500 tools: those after the first 128 are left out"])
    })
  )

  it.scopedLive("leaves out tools of one name, of no name, and those whose schemas are bombs", () =>
    Effect.gen(function* () {
      const schema = (inputSchema: unknown) => ({ inputSchema })
      const { tools, warnings } = yield* listed([
        tool("good"),
        tool("good", { description: "another" }),
        tool("deep", schema(nested(1_000))),
        tool("wide", schema({ type: "object", properties: { a: { enum: Array.from({ length: 6_000 }, () => 1) } } })),
        tool("large", schema({ type: "object", description: "x".repeat(70_000) })),
        tool("elsewhere", schema({ $ref: "https://example.com/schema" })),
        tool("within", schema({ $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/a" } } })),
        tool("none", schema("text")),
        tool("new\nline"),
        tool("task", { execution: { taskSupport: "required" } }),
        tool("number", schema({ type: "object", properties: { a: { type: "number", "x-mcp-header": "A" } } })),
        []
      ])
      expect(tools.map(({ name }) => name)).toEqual(["good", "within"])
      expect(tools[0]?.description).toBeUndefined()
      expect(warnings).toEqual([
        '"good" is left out: another tool has its name',
        '"deep" is left out: its schema is more than 32 levels deep',
        '"wide" is left out: its schema has more than 5000 values',
        '"large" is left out: its schema is larger than 64 KiB',
        '"elsewhere" is left out: its schema refers to another document',
        '"none" is left out: its schema is no object',
        '"new line" is left out: expected a name of at most 128 characters',
        '"task" is left out: it runs as a task alone',
        '"number" is left out: x-mcp-header stands at something other than a string, an integer or a boolean',
        '"" is left out: expected a name of at most 128 characters'
      ])
    })
  )

  it.scopedLive("has its long descriptions cut", () =>
    Effect.gen(function* () {
      const { tools } = yield* listed([tool("wordy", { description: "d".repeat(10_000) })])
      expect(tools[0]?.description).toHaveLength(4_096)
    })
  )
})
