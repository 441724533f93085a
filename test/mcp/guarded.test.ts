import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { McpClient } from "../../src/mcp/McpClient.ts"
import { all, fakeServer, first, guard, guarded, legacy, modern, serverAt, tool } from "./fakeServer.ts"

const never = () => new Promise<Response>(() => {})

describe("a server that a caller names", () => {
  const ask = (url: string, resolve: (host: string) => string, allowed?: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const client = yield* McpClient
      return yield* client.connect(serverAt(url, { send: yield* guarded }))
    }).pipe(Effect.provide([McpClient.Default, guard(resolve, allowed)]))

  it.scopedLive("is listed and called at the address that was checked, in both forms", () =>
    Effect.gen(function* () {
      for (const answers of [modern([tool("one")]), legacy([tool("one")])]) {
        const server = yield* fakeServer(answers)
        const named = server.url.replace("127.0.0.1", "tools.test")
        const { call, list } = yield* ask(named, () => "127.0.0.1")
        expect(yield* call(first((yield* list(all)).tools), "{}")).toMatchObject({ outcome: "completed" })
        expect(server.seen.at(-1)?.headers.get("host")).toMatch(/^tools\.test:/)
      }
    })
  )

  it.scopedLive("gets nothing at a private address, also if its name resolves to one the second time", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer(modern([tool("one")]))
      const named = server.url.replace("127.0.0.1", "tools.test")
      const { list } = yield* ask(server.url, () => "127.0.0.1", [])
      expect(yield* Effect.flip(list(all))).toMatchObject({ outcome: "http_error", code: 0 })
      const answers = ["127.0.0.1", "169.254.169.254"]
      const again = yield* ask(named, () => answers.shift() ?? "169.254.169.254")
      const one = first((yield* again.list(all)).tools)
      const end = yield* again.call(one, "{}")
      expect(end).toMatchObject({ outcome: "http_error", error: { code: 0 } })
      expect(JSON.stringify(end)).not.toContain("169.254")
      expect(server.methods()).toEqual(["tools/list"])
    })
  )

  it.scopedLive("ends in time, and is left when the call is", () =>
    Effect.gen(function* () {
      const server = yield* fakeServer(modern([tool("one")], never))
      const client = yield* McpClient
      const { call, list } = yield* client.connect(serverAt(server.url, { send: yield* guarded, callMs: 100 }))
      expect(yield* call(first((yield* list(all)).tools), "{}")).toMatchObject({ outcome: "timeout" })
    }).pipe(Effect.provide([McpClient.Default, guard(() => "127.0.0.1")]))
  )
})
