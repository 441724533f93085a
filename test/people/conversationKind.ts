/** A request with a key. */
export interface Sent {
  readonly method?: string
  readonly body?: object
  readonly headers?: Record<string, string>
}

export type Send<A> = (key: string, path: string, sent: Sent) => Promise<A>

/** What a key makes, and the ways to it. */
export interface Kind {
  readonly make: (key: string) => Promise<string>
  readonly ways: (key: string, id: string) => Promise<ReadonlyArray<number>>
}

/** Conversations, for a test of all that people make: how a key makes one, and the ways to it. */
export const conversationKind = (
  ask: Send<{ readonly id: string }>,
  send: Send<{ readonly status: number }>
): Kind => ({
  make: async (key) => (await ask(key, "/v1/conversations", { body: {} })).id,
  ways: async (key, id) => {
    const path = `/v1/conversations/${id}`
    const response = { model: "sandbox-text", input: "And?", conversation: id }
    const statuses: Array<number> = []
    // One after the other, because a conversation has one response at a time.
    for (const [to, sent] of [
      [path, {}],
      [path, { body: {} }],
      [`${path}/items`, {}],
      [`${path}/items`, { body: { items: [{ role: "user", content: "Hi" }] } }],
      ["/v1/responses", { body: response }],
      ["/v1/responses/input_tokens", { body: response }]
    ] as const) {
      statuses.push((await send(key, to, sent)).status)
    }
    return statuses
  }
})
