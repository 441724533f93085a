import { testKey } from "../e2e/process.ts"
import { narrowFamilies, usualRequest } from "../families.ts"
import { videoServiceNames } from "../upstreams/fakes/videoServices.ts"
import { freeKey } from "./nodes.ts"

/** What clients of every family were told. */
export interface FamiliesTold {
  /** Answers by family. */
  readonly answered: Map<string, number>
  /** Tasks and background responses, by the address where they are looked for, and the key that made them. */
  readonly tasks: Map<string, string>
  /** What was no answer, with its words. */
  readonly refused: Map<string, number>
  broken: number
}

export const newFamiliesTold = (): FamiliesTold => ({
  answered: new Map(),
  tasks: new Map(),
  refused: new Map(),
  broken: 0
})

const text = "[[sandbox: delay=30ms]] hello"
const messages = [{ role: "user", content: text }]
const videos = "/api/v3/contents/generations/tasks"

interface Asked {
  readonly path: string
  readonly body: object
  /** Where the answer is looked for that comes later. */
  readonly later?: (id: string) => string
}

const asks: Readonly<Record<string, Asked>> = {
  ...Object.fromEntries(narrowFamilies.map((family) => [family, usualRequest(family)])),
  chat: { path: "/v1/chat/completions", body: { model: "paid", messages } },
  "chat, streamed": { path: "/v1/chat/completions", body: { model: "paid", messages, stream: true } },
  messages: { path: "/v1/messages", body: { model: "paid", max_tokens: 50, messages } },
  "messages, streamed": { path: "/v1/messages", body: { model: "text", max_tokens: 50, messages, stream: true } },
  responses: { path: "/v1/responses", body: { model: "paid", input: text } },
  "responses, streamed": { path: "/v1/responses", body: { model: "text", input: text, stream: true } },
  completions: { path: "/v1/completions", body: { model: "paid", prompt: [text, text] } },
  "completions, streamed": { path: "/v1/completions", body: { model: "text", prompt: text, stream: true } },
  embeddings: { path: "/v1/embeddings", body: { model: "embed", input: ["one", "two"] } },
  "responses, background": {
    path: "/v1/responses",
    body: { model: "text", input: text, background: true },
    later: (id) => `/v1/responses/${id}`
  },
  "messages, async": {
    path: "/v1/messages",
    body: { model: "text", max_tokens: 50, messages, async: true },
    later: (id) => `/v1/tasks/${id}`
  },
  videos: {
    path: videos,
    body: { model: videoServiceNames[0], content: [{ type: "text", text: "a cat" }] },
    later: (id) => `${videos}/${id}`
  }
}

export const askAs = (url: string, key: string, path: string, body?: object) =>
  fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    keepalive: false,
    signal: AbortSignal.timeout(60_000),
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) })
  })

const count = (counts: Map<string, number>, name: string) => void counts.set(name, (counts.get(name) ?? 0) + 1)

let made = 0

/** A client that asks every family in turn, with and without a balance, until it is done. */
export const familyClient = async (
  url: string,
  told: FamiliesTold,
  isDone: () => boolean,
  isIdle: () => boolean
): Promise<void> => {
  const names = Object.keys(asks)
  while (!isDone()) {
    if (isIdle()) {
      await Bun.sleep(20)
      continue
    }
    const name = names[made++ % names.length] ?? ""
    const asked = asks[name]
    if (asked === undefined) continue
    const key = Math.random() < 0.5 ? testKey : freeKey
    try {
      const response = await askAs(url, key, asked.path, asked.body)
      const answer = await response.text()
      if (!response.ok) count(told.refused, `${name}: ${response.status} ${answer.slice(0, 120)}`)
      else count(told.answered, name)
      if (response.ok && asked.later !== undefined) {
        const { id } = JSON.parse(answer) as { id: string }
        told.tasks.set(asked.later(id), key)
      }
    } catch {
      told.broken++
    }
    await Bun.sleep(20)
  }
}
