import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Caller } from "../../src/contract/callers/Caller.ts"
import { callsOf } from "../../src/mcp/callsOf.ts"
import { makeRecordedCalls } from "../../src/mcp/recordedCalls.ts"
import type { ImagePart } from "../../src/generation/Conversation.ts"
import { mcpServers } from "../../src/pipeline/mcpEntries.ts"

const picture = (bytes: number): ImagePart => ({
  type: "image",
  source: { type: "base64", mediaType: "image/png", data: "A".repeat(bytes) },
  detail: "auto"
})

const tool = { name: "draw", description: undefined, inputSchema: {}, annotations: {}, mirrored: [] }
const [asked] = mcpServers(
  { tools: [{ type: "mcp", server_label: "art", server_url: "https://art.example" }] },
  () => {}
)

describe("the calls of a request", () => {
  it.effect("keep 16 MiB of pictures, and say of others what they were", () =>
    Effect.gen(function* () {
      if (asked === undefined) throw new Error("no server")
      const end = (parts: ReadonlyArray<ImagePart>) =>
        ({ outcome: "completed", parts, sentBytes: 2, receivedBytes: 2 }) as const
      const connection = {
        list: () => Effect.succeed({ tools: [tool], warnings: [] }),
        call: () => Effect.succeed(end([picture(7 * 1_048_576)]))
      }
      const offer = { isDeferred: false, needsApproval: false }
      const served = { asked, callMs: 1_000, connection, isTrusted: false, nanoUsd: 0, offer, server: "own", tool }
      const { run } = callsOf(new Map([["art__draw", served]]), {
        caller: Caller.unrestricted("team", "key_1"),
        mostCalls: undefined,
        request: { id: "req_1" },
        places: new Map([["art", "own"]]),
        calls: yield* makeRecordedCalls
      })
      const parts = []
      for (const id of ["a", "b", "c"]) {
        const { items } = yield* run({ id, name: "art__draw", arguments: "{}" })
        parts.push(...items()[1].content)
      }
      expect(parts.map(({ type }) => type)).toEqual(["image", "image", "text"])
      expect(parts.at(-1)).toEqual({ type: "text", text: "[image, image/png, 5506 kB]" })
    })
  )
})
