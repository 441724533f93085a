import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import type { DialectName } from "../upstreams/fakes/fakeUpstream.ts"

const silent = (dialect: DialectName) => fakeUpstream(dialect, { answer: () => new Promise<Response>(() => {}) })
/** They never answer. */
const chat = silent("openai-chat")
const messages = silent("anthropic-messages")
const responses = silent("openai-responses")
const narrow = silent("openai-chat")
const all = { chat, messages, responses, narrow }

/** The number of calls with a text in them. */
export const calls = (text: string) =>
  Object.values(all).flatMap(({ asked }) => asked.filter((one) => one.text.includes(text))).length

/** A `gateway.yaml` with a model of each upstream. */
export const silentModels = (price: object) =>
  JSON.stringify({
    upstreams: {
      chat: { protocol: "openai-chat", base_url: `${chat.url}/v1` },
      messages: { protocol: "anthropic-messages", base_url: messages.url },
      responses: { protocol: "openai-responses", base_url: `${responses.url}/v1` },
      narrow: { protocol: "openai-chat", base_url: `${narrow.url}/v1`, max_concurrency: 1 }
    },
    models: Object.fromEntries(Object.keys(all).map((name) => [name, { routes: [{ upstream: name }], price }]))
  })

export const stopSilent = () => Promise.all(Object.values(all).map((fake) => fake.stop()))
