import { expect } from "@effect/vitest"
import { Redacted } from "effect"
import type { Conversation } from "../../src/generation/Conversation.ts"
import type { GenerationEvent } from "../../src/generation/GenerationEvent.ts"
import { defaultDeadlines } from "../../src/upstreams/calls/client.ts"
import type { TextUpstreamOptions } from "../../src/upstreams/text/TextUpstreamOptions.ts"
import { protocols } from "../../src/upstreams/protocols.ts"
import { conversation, user, weather } from "./conversations.ts"
import type { DialectName } from "./fakes/fakeUpstream.ts"
import type { Told } from "./generated.ts"
import { readsNothing } from "./noFiles.ts"

export const key = "sk-planted-secret"

export const at = (protocol: DialectName, url: string, over: Partial<TextUpstreamOptions> = {}, provider = "openai") =>
  protocols[protocol].upstream(
    {
      name: "up",
      baseUrl: `${url}/v1`,
      apiKey: Redacted.make(key),
      headers: {},
      deadlines: defaultDeadlines,
      ...readsNothing,
      ...over
    },
    protocol === "openai-chat" ? provider : undefined
  )

export const how = (stream: boolean, over: Partial<Told> = {}): Told => ({
  upstreamModel: "m-1",
  stream,
  requestId: "req_1",
  ...over
})

export const asking = (text: string, over: Partial<Conversation> = {}) =>
  conversation({ items: [user(text)], tools: [weather], ...over })

export const all = async (generation: { next: () => unknown; cancel: () => void }) => {
  const events: Array<GenerationEvent> = []
  for (;;) {
    const batch = (await generation.next()) as ReadonlyArray<GenerationEvent> | undefined
    if (batch === undefined) break
    expect(batch.length).toBeGreaterThan(0)
    events.push(...batch)
  }
  generation.cancel()
  return events
}
