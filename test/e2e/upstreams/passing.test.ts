import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import type { World } from "./world.ts"
import { models, startWorld } from "./world.ts"

let world: World
beforeAll(async () => {
  world = await startWorld({
    fake: { answer: ({ text }) => (text.includes("a picture that is gone") ? isGone() : undefined) },
    // Both under one name: a caller whose model moves from one provider to another.
    yaml: (urls) =>
      JSON.stringify({
        upstreams: {
          responses: { protocol: "openai-responses", base_url: `${urls["openai-responses"]}/v1` },
          messages: { protocol: "anthropic-messages", base_url: `${urls["anthropic-messages"]}/v1` },
          chat: { protocol: "openai-chat", base_url: `${urls["openai-chat"]}/v1`, provider: "vllm" }
        },
        models: {
          [models["openai-responses"]]: { routes: [{ upstream: "responses", model: "gpt-5.1" }] },
          claude: { routes: [{ upstream: "messages", model: "claude-1" }] },
          moves: {
            routes: [
              { upstream: "chat", model: "m" },
              { upstream: "responses", model: "gpt-5.1" }
            ]
          }
        }
      })
  })
})
afterAll(() => world.dispose())

const picture = "https://pictures.example/a.png?a=1&b=2"
const isGone = () => {
  const error = { type: "invalid_request_error", message: `Unable to download ${picture}` }
  return Response.json({ type: "error", error }, { status: 400 })
}

const input = () => world.asked("openai-responses").body.input

describe("a response that is passed through", () => {
  const model = models["openai-responses"]

  it("keeps what the gateway does not know of a conversation that it remembers", async () => {
    const first = await world.openai.responses.create({ model, input: "play:reasoning" })
    const own = [
      { type: "item_reference", id: first.output[1]!.id },
      { role: "user", content: "play:text", phase: "tomorrow's field" }
    ]
    await world.openai.responses.create({ model, input: own } as never)
    expect(input()).toMatchObject([{ type: "message", content: [{ text: spoken.text }] }, own[1]])
    const next = await world.openai.responses.create({
      model,
      input: [own[1]],
      previous_response_id: first.id
    } as never)
    expect(next.previous_response_id).toBe(first.id)
    expect(input()).toMatchObject([
      { role: "user", content: [{ text: "play:reasoning" }] },
      { type: "reasoning", encrypted_content: spoken.encrypted },
      { type: "message" },
      own[1]
    ])
  })

  it("is stored under the gateway's names, read back, listed and replayed", async () => {
    const created = await world.openai.responses.create({ model, input: "play:search", metadata: { a: "b" } })
    expect(created).toMatchObject({ model, store: true, id: expect.stringMatching(/^resp_[0-9a-f]{40}$/) })
    const read = await world.openai.responses.retrieve(created.id)
    expect(read.output_text).toBe(spoken.text)
    expect(read.model).toBe(model)
    const types: Array<string> = []
    for await (const event of await world.openai.responses.retrieve(created.id, { stream: true }))
      types.push(event.type)
    expect(types.at(-1)).toBe("response.completed")
  })

  it("that fails in its stream ends with the items so far", async () => {
    const { url, key } = world.gateway
    const answer = await fetch(`${url}/v1/responses`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, input: "play:error-after", stream: true })
    })
    const frames = (await answer.text()).trim().split("\n\n")
    const { response } = JSON.parse(frames.at(-1)?.split("\ndata: ")[1] ?? "")
    const said = { status: "failed", output: [{ type: "message", content: [{ text: spoken.text }] }] }
    expect(response).toMatchObject(said)
    expect(await world.openai.responses.retrieve(response.id)).toMatchObject(said)
  })

  it("goes without reasoning that has no form the upstream takes back", async () => {
    const reasoning = { type: "reasoning", id: "rs_1", summary: [] }
    await world.openai.responses.create({
      model,
      store: false,
      input: [reasoning, { role: "user", content: "hi" }]
    } as never)
    expect(input()).toMatchObject([{ role: "user", content: "hi" }])
  })
})

describe("a conversation that moves to another upstream", () => {
  it("goes on where reasoning stays behind, and where it comes back", async () => {
    const asking = { model: "moves", tools: [], include: ["reasoning.encrypted_content"] } as const
    const first = await world.openai.responses.create({ ...asking, input: "play:reasoning" } as never)
    expect(first.output[0]).toMatchObject({ type: "reasoning", encrypted_content: expect.stringMatching(/^mg1\./) })
    // The first route has gone; the second one speaks the caller's dialect.
    await world.fakes["openai-chat"].stop()
    const second = await world.openai.responses.create({
      ...asking,
      input: "play:reasoning",
      previous_response_id: first.id
    } as never)
    expect(second.output_text).toBe(spoken.text)
    expect(JSON.stringify(input())).not.toContain("mg1.")
    expect(input().map((item: { type?: string }) => item.type)).toEqual(["message", "message", "message"])
    await world.openai.responses.create({ ...asking, input: "play:text", previous_response_id: second.id } as never)
    expect(input().filter(({ type }: { type: string }) => type === "reasoning")).toMatchObject([
      { encrypted_content: spoken.encrypted }
    ])
  })
})

describe("a long body that is passed through", () => {
  const call = `{"type": "tool_use", "id": "toolu_1", "name": "look", "input": {"row": 12345678901234567890, "share": 1.50}}`
  const result = `{"type": "tool_result", "tool_use_id": "toolu_1", "content": "caf\\u00e9 ${"x".repeat(5_000)}"}`

  it("has a conversation as it came, and the upstream's name of the model", async () => {
    const { url, key } = world.gateway
    const messages = `[{"role": "user", "content": "play:text"}, {"role": "assistant", "content": [${call}]}, {"role": "user", "content": [${result}]}]`
    const answer = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": key, "content-type": "application/json" },
      body: `{"model": "claude", "max_tokens": 100, "messages": ${messages}, "stream": false, "metadata": null}`
    })
    expect(await answer.json()).toMatchObject({ type: "message", model: "claude" })
    const { body, text } = world.asked("anthropic-messages")
    expect(text).toContain(messages)
    expect(body).toEqual({
      ...JSON.parse(`{"max_tokens": 100, "messages": ${messages}, "stream": false}`),
      model: "claude-1"
    })
  })

  // As PHP and Go write an address by default.
  for (const spelled of [picture, picture.replaceAll("/", "\\/"), picture.replaceAll("&", "\\u0026")]) {
    it(`is refused with the address in it that it has as ${spelled}`, async () => {
      const { url, key } = world.gateway
      const image = `{"type": "image", "source": {"type": "url", "url": "${spelled}"}}`
      const text = `{"type": "text", "text": "a picture that is gone ${"x".repeat(5_000)}"}`
      const answer = await fetch(`${url}/v1/messages`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        body: `{"model": "claude", "max_tokens": 100, "messages": [{"role": "user", "content": [${image}, ${text}]}]}`
      })
      expect(answer.status).toBe(400)
      // What follows the path may be a signature, and the words are kept in the request's row.
      const shown = picture.replace(/\?.*$/, "?[…]")
      expect(await answer.json()).toMatchObject({ error: { message: `Unable to download ${shown}` } })
    })
  }
})
