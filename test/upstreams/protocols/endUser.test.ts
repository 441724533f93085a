import { describe, expect, it } from "@effect/vitest"
import type { Conversation } from "../../../src/generation/Conversation.ts"
import { lower as anthropic } from "../../../src/upstreams/protocols/anthropicMessages/request.ts"
import { providers } from "../../../src/upstreams/protocols/openaiChat/compatible.ts"
import { lower as chat } from "../../../src/upstreams/protocols/openaiChat/request.ts"
import { lower as responses } from "../../../src/upstreams/protocols/openaiResponses/request.ts"
import { conversation } from "../conversations.ts"

const options = { model: "m", stream: false }

/** Where each server reads the end user's id, and the longest that it takes. */
const rows = [
  ["anthropic", (asked: Conversation) => anthropic(asked, options), "metadata.user_id", 256],
  ["responses", (asked: Conversation) => responses(asked, options), "safety_identifier", 128],
  ["openai", (asked: Conversation) => chat(asked, options, providers.openai), "safety_identifier", 128],
  ["openrouter", (asked: Conversation) => chat(asked, options, providers.openrouter), "user", 128]
] as const

describe("an end user's id", () => {
  it.each(rows)("%s: is a hash within the bound where it is longer", (_, lower, path, most) => {
    const idOf = (endUser: string) => {
      const { adapted, body } = lower(conversation({ endUser }))
      const [key = "", inner] = path.split(".")
      return [inner === undefined ? body[key] : Object(body[key])[inner], adapted]
    }
    const within = "u".repeat(most)
    expect(idOf(within)).toEqual([within, []])
    const hashed = idOf(`${within}1`)
    expect(hashed).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/), ["user"]])
    // The same user every time, and another than the next.
    expect(idOf(`${within}1`)).toEqual(hashed)
    expect(idOf(`${within}2`)).not.toEqual(hashed)
  })

  it("is as it came where no bound is known, and named where it has no place", () => {
    const asked = conversation({ endUser: "u".repeat(1_000) })
    expect(chat(asked, options, providers.vllm).body["user"]).toBe(asked.endUser)
    expect(chat(asked, options, providers.deepseek).adapted).toEqual(["user"])
  })
})
