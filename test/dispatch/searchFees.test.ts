import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import type { Caller } from "../../src/contract/callers/Caller.ts"
import type { SearchTool } from "../../src/generation/Conversation.ts"
import { account, asked, caller, conversation, live, run } from "./paidUpstream.ts"

describe("an account's web search", () => {
  const search = (allowedDomains?: Array<string>, blockedDomains?: Array<string>): SearchTool => ({
    type: "search",
    name: "web_search",
    allowedDomains,
    blockedDomains,
    maxUses: 1,
    contextSize: "medium",
    location: undefined
  })
  const none = { allowed: undefined, blocked: undefined }
  const searching = (tool: SearchTool, searchDomains: Caller["searchDomains"]) =>
    Effect.gen(function* () {
      yield* account(100)
      const exit = yield* Effect.exit(run(conversation("answers", { tools: [tool] }), { ...caller, searchDomains }))
      return Exit.isSuccess(exit) ? asked.at(-1)?.tools[0] : yield* Effect.flip(exit)
    }).pipe(Effect.provide(Layer.fresh(live)))

  it.effect("is narrowed to its domains", () =>
    Effect.gen(function* () {
      const allowed = { allowed: ["example.com", "docs.dev/guide"], blocked: undefined }
      const blocked = { allowed: undefined, blocked: ["evil.com"] }
      expect(yield* searching(search(), allowed)).toMatchObject({ allowedDomains: ["example.com", "docs.dev/guide"] })
      expect(yield* searching(search(["a.example.com"]), allowed)).toMatchObject({ allowedDomains: ["a.example.com"] })
      expect(yield* searching(search(undefined, ["x.com"]), blocked)).toMatchObject({
        blockedDomains: ["x.com", "evil.com"]
      })
      expect(yield* searching(search(undefined, ["example.com"]), allowed)).toMatchObject({
        allowedDomains: ["docs.dev/guide"]
      })
      expect(yield* searching(search(["good.com"]), blocked)).toMatchObject({ allowedDomains: ["good.com"] })
    })
  )

  it.effect("has at most 100 domains, with an account's rules and without", () =>
    Effect.gen(function* () {
      const domains = (count: number) => Array.from({ length: count }, (_, index) => `a${index}.com`)
      for (const rules of [none, { allowed: undefined, blocked: ["evil.com"] }]) {
        expect(yield* searching(search(domains(100)), rules)).toMatchObject({ type: "search" })
        expect(yield* searching(search(undefined, domains(100)), rules)).toMatchObject({ type: "search" })
        expect(yield* searching(search(domains(101)), rules)).toMatchObject({
          message: "allowed_domains: expected at most 100 domains; got 101"
        })
        expect(yield* searching(search(undefined, domains(101)), rules)).toMatchObject({ param: "blocked_domains" })
      }
    })
  )

  it.effect("is refused where the request asks for more", () =>
    Effect.gen(function* () {
      const allowed = { allowed: ["example.com", "docs.dev/guide"], blocked: undefined }
      expect(yield* searching(search(["other.com"]), allowed)).toMatchObject({
        _tag: "InvalidRequest",
        message:
          'tools[0]: web search of "other.com" is not open to this account; allowed domains are example.com, docs.dev/guide'
      })
      expect(yield* searching(search(["docs.dev"]), allowed)).toMatchObject({ _tag: "InvalidRequest" })
      expect(yield* searching(search(["notexample.com"]), allowed)).toMatchObject({ _tag: "InvalidRequest" })
      const blocked = { allowed: undefined, blocked: ["evil.com"] }
      for (const domain of ["evil.com", "www.evil.com"]) {
        expect(yield* searching(search([domain]), blocked)).toMatchObject({ _tag: "InvalidRequest" })
      }
    })
  )
})
