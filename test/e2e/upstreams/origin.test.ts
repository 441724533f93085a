import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { spoken } from "../../upstreams/fakes/scenarios.ts"
import type { World } from "./world.ts"
import { startWorld } from "./world.ts"
import { request } from "../../request.ts"

/** One model at two providers; a busy one refuses, and the other answers. */
let world: World
let busy: "/v1/messages" | "/v1/responses" = "/v1/responses"
beforeAll(async () => {
  world = await startWorld({
    fake: {
      answer: ({ path }) => (path === busy ? Response.json({ error: { message: "busy" } }, { status: 429 }) : undefined)
    },
    yaml: (urls) =>
      JSON.stringify({
        upstreams: {
          claude: { protocol: "anthropic-messages", base_url: `${urls["anthropic-messages"]}/v1` },
          gpt: { protocol: "openai-responses", base_url: `${urls["openai-responses"]}/v1` }
        },
        models: {
          moves: {
            routes: [
              { upstream: "claude", model: "claude-sonnet-4-5" },
              { upstream: "gpt", model: "gpt-5.1" }
            ]
          }
        }
      })
  })
})
afterAll(() => world.dispose())

const post = async (path: string, body: object) => {
  const answer = await request(world.gateway, path, { body: { model: "moves", ...body } })
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever came
  const json: any = await answer.json()
  return { json, adapted: answer.headers.get("x-gateway-adapted") ?? "" }
}

const play = { role: "user", content: "play:reasoning" }
const again = { role: "user", content: "play:text" }

const sentTo = {
  claude: () => JSON.stringify(world.asked("anthropic-messages").body),
  gpt: () => JSON.stringify(world.asked("openai-responses").body)
}

/** Each family's way to ask, and to ask again with what was answered. */
const families = {
  "chat completions": async () => {
    const { json } = await post("/v1/chat/completions", { messages: [play], max_tokens: 8_000 })
    const history = [play, json.choices[0].message, again]
    return () => post("/v1/chat/completions", { messages: history, max_tokens: 8_000 })
  },
  responses: async () => {
    const { json } = await post("/v1/responses", { input: [play], store: false })
    return () => post("/v1/responses", { input: [play, ...json.output, again], store: false })
  },
  "stored responses": async () => {
    const { json } = await post("/v1/responses", { input: [play] })
    return () => post("/v1/responses", { input: [again], previous_response_id: json.id })
  },
  messages: async () => {
    const { json } = await post("/v1/messages", { messages: [play], max_tokens: 8_000 })
    const history = [play, { role: "assistant", content: json.content }, again]
    return () => post("/v1/messages", { messages: history, max_tokens: 8_000 })
  }
}

describe.each(Object.keys(families) as ReadonlyArray<keyof typeof families>)("reasoning in %s", (family) => {
  it("goes back to its own provider only, and another is told what was lost", async () => {
    busy = "/v1/responses"
    const ofClaude = await families[family]()
    const back = await ofClaude()
    expect(sentTo.claude()).toContain(`"signature":${JSON.stringify(spoken.signature)}`)
    expect(back.adapted).not.toContain("reasoning")
    busy = "/v1/messages"
    const moved = await ofClaude()
    expect(sentTo.gpt()).not.toContain('"type":"reasoning"')
    expect(moved.adapted).toContain("reasoning")

    const ofGpt = await families[family]()
    const same = await ofGpt()
    expect(sentTo.gpt()).toContain(`"encrypted_content":${JSON.stringify(spoken.encrypted)}`)
    expect(same.adapted).not.toContain("reasoning")
    busy = "/v1/responses"
    const other = await ofGpt()
    expect(sentTo.claude()).not.toContain('"type":"thinking"')
    expect(other.adapted).toContain("reasoning")
  })
})
