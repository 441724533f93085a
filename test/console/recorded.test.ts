import { describe, expect, it } from "@effect/vitest"
import { bodyOf } from "../../console/play/bodies.ts"
import type { Draft, Family } from "../../console/play/draft.ts"
import { recordedIn } from "../../console/play/recorded.ts"

const tool = { name: "get_weather", description: "The weather", parameters: { type: "object", properties: {} } }

const draft = (family: Family, more: Partial<Draft> = {}): Draft => ({
  family,
  model: "m",
  system: "Be brief.",
  messages: [{ role: "user", text: "What now?", files: [] }],
  tools: [tool],
  hasSearch: false,
  maxTokens: 64,
  temperature: 0.5,
  image: { size: "" },
  speech: { voice: "alloy" },
  video: { resolution: "480p", ratio: "16:9", seconds: 4 },
  ...more
})

describe("a recorded body", () => {
  it.each(["messages", "responses", "chat"] as const)("becomes the form that would have sent it: %s", (family) => {
    expect(recordedIn(JSON.stringify(bodyOf(draft(family))))).toEqual({
      user: "What now?",
      system: "Be brief.",
      maxTokens: 64,
      temperature: 0.5,
      tools: [tool],
      isPart: false
    })
  })

  it("of vectors has its text alone, of a video also how large and long it is", () => {
    expect(recordedIn(JSON.stringify(bodyOf(draft("embeddings"))))).toEqual({
      user: "What now?",
      tools: [],
      isPart: false
    })
    expect(recordedIn(JSON.stringify(bodyOf(draft("videos"))))).toEqual({
      user: "What now?",
      tools: [],
      resolution: "480p",
      ratio: "16:9",
      seconds: 4,
      isPart: false
    })
  })

  it("says where there was more: a file, or turns before", () => {
    const file = { name: "a.png", type: "image/png", size: 3, data: "AAAA" }
    const withFile = draft("messages", { messages: [{ role: "user", text: "What now?", files: [file] }] })
    expect(recordedIn(JSON.stringify(bodyOf(withFile)))).toMatchObject({
      user: "What now?",
      isPart: true
    })
    const turns = [
      { role: "user", content: "First" },
      { role: "assistant", content: "Yes" },
      { role: "user", content: [{ type: "text", text: "Second" }] }
    ]
    expect(recordedIn(JSON.stringify({ messages: turns }))).toMatchObject({ user: "Second", isPart: true })
  })

  it("that is none is nothing", () => {
    for (const text of ["", "{", "[]", "null", '"text"', '{"messages": [{"role": "us']) {
      expect(recordedIn(text)).toBeUndefined()
    }
    expect(recordedIn('{"messages": 5, "tools": {"a": 1}, "max_tokens": "x"}')).toEqual({
      user: undefined,
      system: undefined,
      maxTokens: undefined,
      temperature: undefined,
      tools: [],
      isPart: false
    })
  })
})
