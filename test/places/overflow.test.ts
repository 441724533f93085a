import { afterAll, beforeAll, expect, it } from "vitest"
import { startBefore } from "./ask.ts"
import { overflowOf } from "./strict/overflow.ts"
import { startStrict } from "./strict/strict.ts"

const strict = startStrict({ play: overflowOf })
let before: Awaited<ReturnType<typeof startBefore>>
beforeAll(async () => {
  before = await startBefore(strict.url)
})
afterAll(async () => {
  await before.gateway.dispose()
  await strict.stop()
})

const ask = async (path: string, body: object) => {
  const { key, url } = before.gateway
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  return { status: response.status, text: await response.text() }
}

const user = [{ role: "user", content: "Hi" }]

// Programs compact a conversation by these words alone: Claude Code by Anthropic's, Codex by OpenAI's code in a stream.
const families = [
  {
    path: "/v1/messages",
    body: { max_tokens: 100, messages: user },
    says: /"message":"[^"]*prompt is too long: /,
    status: [400, 400]
  },
  {
    path: "/v1/chat/completions",
    body: { messages: user },
    says: /"code":"context_length_exceeded"/,
    status: [400, 400]
  },
  { path: "/v1/responses", body: { input: "Hi" }, says: /"code":"context_length_exceeded"/, status: [400, 200] }
] as const

it.each(families)(
  "an input that is too long is told in the family's own words, whatever the place says: $path",
  { timeout: 120_000 },
  async ({ body, path, says, status }) => {
    const wrong: Array<string> = []
    for (const model of before.names) {
      for (const stream of [false, true]) {
        const answer = await ask(path, { ...body, model, stream })
        if (!says.test(answer.text) || answer.status !== status[stream ? 1 : 0])
          wrong.push(`${model} ${stream}: ${answer.status} ${answer.text.slice(0, 300)}`)
      }
    }
    expect(wrong).toEqual([])
  }
)
