import type { Kind, Send } from "./conversationKind.ts"

interface Answer {
  readonly id: string
  readonly data: ReadonlyArray<{ readonly id: string }>
}

/** Stored chat completions, for a test of all that people make. */
export const completionKind = (ask: Send<Answer>, send: Send<{ readonly status: number }>): Kind => ({
  make: async (key) => {
    const body = { model: "sandbox-text", messages: [{ role: "user", content: "Hi" }], store: true }
    return (await ask(key, "/v1/chat/completions", { body })).id
  },
  ways: async (key, id) => {
    const one = `/v1/chat/completions/${id}`
    const reached = [send(key, one, {}), send(key, one, { body: {} }), send(key, `${one}/messages`, {})]
    const { data } = await ask(key, "/v1/chat/completions?limit=100", {})
    return [
      ...(await Promise.all(reached)).map(({ status }) => status),
      data.some((listed) => listed.id === id) ? 200 : 404
    ]
  }
})
