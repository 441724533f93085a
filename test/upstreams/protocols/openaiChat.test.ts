import { describe, expect, it } from "@effect/vitest"
import type { FileSource } from "../../../src/generation/Conversation.ts"
import { nineCharacters } from "../../../src/upstreams/protocols/callIds.ts"
import { openaiChat } from "../../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { providerOf, providers } from "../../../src/upstreams/protocols/openaiChat/compatible.ts"
import {
  assistant,
  call,
  conversation,
  pixel,
  result,
  search,
  system,
  thought,
  user,
  weather
} from "../conversations.ts"
import { outcome, streamed } from "../events.ts"
import { chat, finish, opened } from "./chatFrames.ts"

const lower = (over: Parameters<typeof conversation>[0], provider: keyof typeof providers = "openai") =>
  openaiChat(providers[provider]).lower(conversation(over), { model: "m", stream: true })

const messages = (over: Parameters<typeof conversation>[0], provider: keyof typeof providers = "openai") =>
  lower(over, provider).body["messages"]

describe("openai-chat requests", () => {
  it("puts system text first and turns into one assistant message each, results behind their calls", () => {
    expect(
      messages({
        system: ["Be brief."],
        items: [
          system("Be kind."),
          user("Weather?"),
          thought("two cities"),
          assistant("Looking."),
          call("call_1", "get_weather", '{"city":"Paris"}'),
          call("call_2", "get_weather", ""),
          user("Hurry!"),
          result("call_1", "sunny"),
          result("call_2", "no such city", true)
        ]
      })
    ).toEqual([
      { role: "developer", content: "Be brief.\n\nBe kind." },
      { role: "user", content: "Weather?" },
      {
        role: "assistant",
        content: "Looking.",
        tool_calls: [
          { id: "call_1", type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } },
          { id: "call_2", type: "function", function: { name: "get_weather", arguments: "{}" } }
        ]
      },
      { role: "tool", tool_call_id: "call_1", content: "sunny" },
      { role: "tool", tool_call_id: "call_2", content: "Error: no such city" },
      { role: "user", content: "Hurry!" }
    ])
  })

  it("replays reasoning to DeepSeek inside a tool loop and nowhere else", () => {
    const loop = [user("a"), thought("first"), call("c1", "f", "{}"), result("c1", "ok")]
    expect(messages({ items: loop }, "deepseek")).toMatchObject([
      { role: "user" },
      { role: "assistant", content: null, reasoning_content: "first" },
      { role: "tool" }
    ])
    // What stands behind a result (a reminder of the client's) is no new question.
    const next = [user("reminder"), thought("next"), call("c2", "f", "{}"), result("c2", "ok"), user("reminder")]
    expect(messages({ items: [...loop, ...next] }, "deepseek")).toMatchObject([
      { role: "user" },
      { reasoning_content: "first" },
      { role: "tool" },
      { role: "user" },
      { reasoning_content: "next" },
      { role: "tool" },
      { role: "user" }
    ])
    const over = messages({ items: [...loop, thought("second"), assistant("done"), user("b")] }, "deepseek")
    expect(JSON.stringify(over)).not.toContain("reasoning_content")
    expect(JSON.stringify(messages({ items: loop }, "openai"))).not.toContain("first")
    // Older and newer versions.
    expect(messages({ items: loop }, "vllm")).toMatchObject([
      {},
      { reasoning: "first", reasoning_content: "first" },
      {}
    ])
  })

  it("gives Mistral ids it takes, and only the model speaks right after a tool", () => {
    const items = [user("a"), call("functions.f:0", "f", "{}"), result("functions.f:0", "ok"), user("and?")]
    const sent = messages({ items }, "mistral")
    const id = expect.stringMatching(/^[A-Za-z0-9]{9}$/)
    expect(sent).toMatchObject([
      { role: "user" },
      { role: "assistant", tool_calls: [{ id }] },
      { role: "tool", tool_call_id: id },
      { role: "assistant", content: expect.stringMatching(/./) },
      { role: "user", content: "and?" }
    ])
    const found = JSON.stringify(sent)
      .match(/"(?:tool_call_)?id":"([^"]+)"/g)
      ?.map((pair) => pair.split(":")[1])
    expect(new Set(found).size).toBe(1)
    expect(messages({ items }, "generic")).toHaveLength(4)
    expect(JSON.stringify(messages({ items: [call("abcDEF123", "f", "{}")] }, "mistral"))).toContain("abcDEF123")
  })

  it("maps ids that a server does not take where a request passes through, too", () => {
    const dialect = openaiChat(providers.mistral).dialect
    const messages = [
      { role: "assistant", tool_calls: [{ id: "functions.f:0", type: "function" }] },
      { role: "tool", tool_call_id: "functions.f:0", content: "ok" }
    ]
    const sent = dialect?.body({ messages }, { upstreamModel: "m", stream: false })
    const id = nineCharacters("functions.f:0")
    expect(sent?.["messages"]).toEqual([
      { role: "assistant", tool_calls: [{ id, type: "function" }] },
      { role: "tool", tool_call_id: id, content: "ok" }
    ])
    const long = `call_${"a".repeat(60)}`
    expect(JSON.stringify(lower({ items: [call(long, "f", "{}"), result(long, "ok")] }, "openai").body)).not.toContain(
      long
    )
  })

  it("sends images, and a tool result's images as the user's", () => {
    const source = { type: "base64", mediaType: "image/png", data: pixel } as const
    const image = { type: "image", source, detail: "low" } as const
    const shown = { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}`, detail: "low" } }
    expect(
      messages({
        items: [
          { type: "message", role: "user", content: [{ type: "text", text: "What?" }, image] },
          call("c1", "look", "{}"),
          { type: "tool-result", callId: "c1", content: [{ type: "text", text: "seen" }, image], isError: false }
        ]
      })
    ).toMatchObject([
      { role: "user", content: [{ type: "text", text: "What?" }, shown] },
      { role: "assistant" },
      { role: "tool", content: "seen" },
      { role: "user", content: [{ type: "text" }, shown] }
    ])
  })

  it("sends text documents as marked text, PDFs where they are taken, and refuses the rest by name", () => {
    const document = (source: FileSource) => [
      { type: "message", role: "user", content: [{ type: "document", source, name: "a.txt" }] } as const
    ]
    const text = document({ type: "base64", mediaType: "text/plain", data: btoa("hello") })
    expect(messages({ items: text }, "ollama")).toEqual([
      { role: "user", content: [{ type: "text", text: '<document name="a.txt">\nhello\n</document>' }] }
    ])
    const pdf = document({ type: "base64", mediaType: "application/pdf", data: "JVBERi0=" })
    expect(messages({ items: pdf }, "openai")).toMatchObject([{ content: [{ type: "file" }] }])
    expect(lower({ items: pdf }, "vllm").refused?.param).toBe("document")
    const address = document({ type: "url", url: "https://e.com/a.pdf" })
    expect(lower({ items: address }, "openai").refused?.message).toContain("send its bytes")
  })

  it("names the fields as each provider does, and lists what it can't carry", () => {
    const asked = {
      maxOutputTokens: 100,
      sampling: { temperature: 0.5, topP: 0.9, topK: 40 },
      reasoning: { enabled: undefined, effort: "xhigh", budgetTokens: undefined, summary: undefined },
      tools: [{ ...weather, parameters: { ...weather.parameters, additionalProperties: false }, strict: true }],
      toolChoice: { type: "tool", name: "get_weather" },
      parallelToolCalls: false,
      stopSequences: ["END"]
    } as const
    const openai = lower(asked)
    expect(openai.body).toMatchObject({
      max_completion_tokens: 100,
      temperature: 0.5,
      top_p: 0.9,
      reasoning_effort: "xhigh",
      tool_choice: { type: "function", function: { name: "get_weather" } },
      parallel_tool_calls: false,
      stop: ["END"],
      stream_options: { include_usage: true }
    })
    expect(openai.body).not.toHaveProperty("top_k")
    expect(openai.adapted).toEqual(["top_k"])
    const ollama = lower(asked, "ollama")
    expect(ollama.body).toMatchObject({ max_tokens: 100, top_k: 40, reasoning_effort: "high" })
    expect(ollama.body).not.toHaveProperty("tool_choice")
    expect(ollama.adapted.toSorted()).toEqual([
      "parallel_tool_calls",
      "reasoning.effort",
      "tool_choice",
      "tools[].strict"
    ])
    expect(lower(asked, "llamacpp").body).toMatchObject({ tool_choice: "required", top_k: 40 })
    expect(lower(asked, "deepseek").body).toMatchObject({ thinking: { type: "enabled" } })
  })

  it("asks for structured output, in words where the provider has no field for it", () => {
    const properties = { a: { type: "number" } }
    const schema = { type: "object", properties, required: ["a"], additionalProperties: false }
    const format = { type: "json-schema", name: "answer", description: undefined, schema, strict: true } as const
    expect(lower({ format }).body["response_format"]).toEqual({
      type: "json_schema",
      json_schema: { name: "answer", schema, strict: true }
    })
    const deepseek = lower({ format }, "deepseek")
    expect(deepseek.body["response_format"]).toEqual({ type: "json_object" })
    expect(deepseek.adapted).toEqual(["text.format"])
    expect(JSON.stringify(deepseek.body["messages"])).toContain("JSON Schema")
  })

  it("shows only the allowed tools, and none where the choice can't be said", () => {
    const tools = [weather, { ...weather, name: "other" }]
    const required = lower({ tools, toolChoice: { type: "required", names: ["other"] } })
    expect(required.body).toMatchObject({ tool_choice: "required", tools: [{ function: { name: "other" } }] })
    expect(lower({ tools, toolChoice: { type: "none" } }, "ollama").body).not.toHaveProperty("tools")
  })

  it("refuses a web search, which the dialect does not have", () => {
    expect(lower({ tools: [search] }).refused?.param).toBe("tools")
  })

  it("gives tools names that every server takes, and the caller its own back", () => {
    const asked = {
      tools: [
        { ...weather, name: "shell.exec" },
        { ...weather, name: "shell_exec" }
      ]
    }
    const names = lower(asked).body["tools"] as ReadonlyArray<{ function: { name: string } }>
    expect(names.map((tool) => tool.function.name)).toEqual(["shell_exec_2", "shell_exec"])
    const events = streamed(chat, [opened(0, "c1", "shell_exec_2", "{}"), finish("tool_calls")], { asked })
    expect(outcome(events).items).toMatchObject([{ type: "tool-call", name: "shell.exec" }])
  })

  it("finds the provider by name, by host, or takes the generic one", () => {
    const at = (baseUrl: string, name = "up", provider?: string) => providerOf({ baseUrl, name }, provider)
    expect(at("https://api.deepseek.com")).toBe(providers.deepseek)
    expect(at("https://api.openai.com/v1")).toBe(providers.openai)
    expect(at("http://127.0.0.1:8000/v1", "vllm")).toBe(providers.vllm)
    expect(at("http://127.0.0.1:8000/v1", "up", "ollama")).toBe(providers.ollama)
    expect(at("https://notopenai.com/v1")).toBe(providers.generic)
  })
})
