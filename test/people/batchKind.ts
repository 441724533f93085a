import type { Kind, Send } from "./conversationKind.ts"

interface Answer {
  readonly id: string
  readonly data: ReadonlyArray<{ readonly id: string }>
}

/** Batches, for a test of all that people make. */
export const batchKind = (ask: Send<Answer>, send: Send<{ readonly status: number }>): Kind => ({
  make: async (key) => {
    const params = { model: "sandbox-text", max_tokens: 100, messages: [{ role: "user", content: "Hi" }] }
    return (await ask(key, "/v1/messages/batches", { body: { requests: [{ custom_id: "a", params }] } })).id
  },
  ways: async (key, id) => {
    const { status } = await send(key, `/v1/messages/batches/${id}`, {})
    const { data } = await ask(key, "/v1/messages/batches?limit=100", {})
    return [status, data.some((listed) => listed.id === id) ? 200 : 404]
  }
})
