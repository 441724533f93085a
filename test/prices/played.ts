import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { Struct } from "effect"
import { vi } from "vitest"
import type { CostRecord } from "../../src/ledger/CostRecord.ts"
import type { RequestDetail } from "../../src/requests/RequestView.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"
import type { Case } from "./cases.ts"
import { answerOf, embeddedIn } from "./provider.ts"

/** How a case is asked. */
export interface Asked {
  readonly family: Family
  readonly isStreamed: boolean
}

/** Plays cases through one gateway, and reads what their rows cost. */
export interface Played {
  /** Asks for a case in each of these ways. The money of its own family's key is counted. */
  readonly ask: (one: Case, ways: ReadonlyArray<Asked>) => Promise<void>
  /** Nano-dollars of each way, once the rows are there. */
  readonly costs: (id: string) => Promise<Readonly<Record<string, unknown>>>
  /** How the cost of each way came about, as its own account reads it. */
  readonly explained: (id: string) => Promise<ReadonlyArray<CostRecord | undefined>>
  /** The most that a case costs in its own family, by its quote. */
  readonly quoteOf: (one: Case) => Promise<number>
  readonly dispose: () => Promise<void>
}

const secret = "sk-gw-rich-0123456789abcdefghijklmnopqrstuv"

const upstreamOf = {
  responses: { protocol: "openai-responses" },
  chat: { protocol: "openai-chat" },
  messages: { protocol: "anthropic-messages" },
  gemini: { protocol: "gemini" },
  "bedrock-converse": { protocol: "bedrock-converse" },
  "bedrock-invoke": { protocol: "anthropic-messages", provider: "bedrock" },
  embeddings: { protocol: "openai-chat" }
} as const

const text = "Say something."
const bodies = {
  responses: ["/v1/responses", { input: text, store: false }],
  chat: ["/v1/chat/completions", { messages: [{ role: "user", content: text }] }],
  messages: ["/v1/messages", { max_tokens: 100_000, messages: [{ role: "user", content: text }] }],
  embeddings: ["/v1/embeddings", { input: text }]
} as const
export type Family = keyof typeof bodies

/** The family whose requests have the fields of a case: the others translate them, as far as they can. */
const ownFamily = (wire: Case["wire"]): Family =>
  wire === "chat" || wire === "embeddings"
    ? wire
    : wire === "messages" || wire === "bedrock-invoke"
      ? "messages"
      : "responses"

const formsOf = (family: Family) => (family === "embeddings" ? [false] : [false, true])
/** A case in its own family, whole and streamed. */
export const ownWays = ({ wire }: Case): ReadonlyArray<Asked> =>
  formsOf(ownFamily(wire)).map((isStreamed) => ({ family: ownFamily(wire), isStreamed }))

/** A case in each family that can ask for it, whole and streamed. */
export const allWays = (one: Case): ReadonlyArray<Asked> => {
  // A compaction and a search by chat are only in answers to requests for them, which other families cannot write.
  const { context_management: compacts, search_parameters: live, web_search_options: searchesByChat } = one.request
  const isAlone = one.wire === "embeddings" || [compacts, live, searchesByChat].some((one) => one !== undefined)
  if (isAlone) return ownWays(one)
  return (["responses", "chat", "messages"] as const).flatMap((family) =>
    formsOf(family).map((isStreamed) => ({ family, isStreamed }))
  )
}

const nameOf = ({ family, isStreamed }: Asked) => `${family}, ${isStreamed ? "streamed" : "whole"}`

/** Long enough for the longest input of a case: an upstream that tells much more than it was sent is not believed. */
const inputOf = ({ answer }: Case): string =>
  /"(?:\w*input_tokens|promptTokenCount)":(?:\d{6}|9\d{4})/.test(JSON.stringify(answer)) ? "word ".repeat(60_000) : text

/** A request must ask for searches, so that those of its answer are believed. */
const searchTools = {
  responses: { tools: [{ type: "web_search" }] },
  chat: { web_search_options: {} },
  messages: { tools: [{ type: "web_search_20250305", name: "web_search" }] },
  embeddings: {}
} as const
const searches = ({ answer }: Case) =>
  /"(?:web_search_requests|num_requests|web_search_calls)":[1-9]|webSearchQueries|"web_search_call"|url_citation/.test(
    JSON.stringify(answer)
  )

/** The fields of a case's request, in its own family's dialect. */
const ownFields = ({ request: { serviceTier, ...fields } }: Case) => ({
  ...Struct.omit(fields, "stream"),
  ...(typeof serviceTier === "object" &&
    serviceTier !== null &&
    "type" in serviceTier && { service_tier: serviceTier.type })
})

const bodyOf = (one: Case, { family, isStreamed }: Asked) => {
  const [path, plain] = bodies[family]
  return [
    path,
    {
      model: one.id,
      ...JSON.parse(JSON.stringify(plain).replace(text, inputOf(one))),
      // Their hold is for these alone.
      ...(family === "embeddings" && { input: embeddedIn(one).map((words) => "word ".repeat(words)) }),
      ...(searches(one) && searchTools[family]),
      ...(family === ownFamily(one.wire) && ownFields(one)),
      ...(isStreamed && { stream: true })
    }
  ] as const
}

export const startPlaying = async (
  cases: ReadonlyArray<Case>,
  env: Readonly<Record<string, string>>
): Promise<Played> => {
  const upstream = Bun.serve({
    port: 0,
    fetch: async (sent) => {
      const body = await sent.text()
      const found = cases.find(({ id }) => sent.url.includes(`/${id}/`))
      if (found === undefined) return new Response("", { status: 404 })
      return answerOf(found, body.includes('"stream":true') || /stream/i.test(new URL(sent.url).pathname))
    }
  })
  const folder = mkdtempSync(join(tmpdir(), "gateway-prices-"))
  const at = (id: string, wire: Case["wire"]) =>
    `http://127.0.0.1:${upstream.port}/${id}/${wire === "bedrock-invoke" ? "" : "v1"}`
  const config = {
    upstreams: Object.fromEntries(
      cases.map(({ id, price, provider, wire }) => [
        id,
        {
          ...upstreamOf[wire],
          // No other provider is believed.
          ...(price["told"] === true && { provider: provider.replace("x-ai", "xai") }),
          base_url: at(id, wire),
          api_key: "sk-test"
        }
      ])
    ),
    models: Object.fromEntries(
      cases.map(({ id, model, price, wire }) => [
        id,
        { routes: [{ upstream: id, model }], price, ...(wire === "embeddings" && { kind: "embedding" }) }
      ])
    ),
    keys: [{ name: "rich", account: "rich", secret, balance_usd: 1_000_000 }],
    prices_file: "prices.json"
  }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(config))
  writeFileSync(join(folder, "prices.json"), JSON.stringify(Object.assign({}, ...cases.map((one) => one.tool_prices))))
  const gateway: GatewayHere = await startGateway({ folder, env })
  const url = env["GATEWAY_DATABASE_URL"]
  const postgres = url === undefined ? undefined : new Bun.SQL({ url, max: 1 })
  const sqlite = url === undefined ? new Database(join(folder, "data/gateway.db"), { readonly: true }) : undefined
  const rows = async (): Promise<ReadonlyArray<Record<string, unknown>>> => {
    const read = "SELECT request_id, cost_nano_usd FROM usage"
    return postgres === undefined
      ? (sqlite?.query<Record<string, unknown>, []>(read).all() ?? [])
      : postgres.unsafe(read)
  }
  /** The requests of a case, by the way in which they were asked. */
  const asked = new Map<string, ReadonlyMap<string, string>>()
  let found: ReadonlyMap<unknown, number> = new Map()

  const ask = async (one: Case, ways: ReadonlyArray<Asked>): Promise<void> => {
    const ids = new Map<string, string>()
    if (one.arrived !== undefined) vi.useFakeTimers({ toFake: ["Date"], now: Date.parse(one.arrived) })
    for (const way of ways) {
      const [path, body] = bodyOf(one, way)
      const key = way.family === ownFamily(one.wire) ? secret : gateway.key
      const answer = await request(gateway, path, { body, key })
      const told = await answer.text()
      const isWell = answer.status === 200 && !/event: (?:error|response\.failed)/.test(told)
      ids.set(nameOf(way), isWell ? (answer.headers.get("x-request-id") ?? "") : `${answer.status} ${told}`)
    }
    vi.useRealTimers()
    asked.set(one.id, ids)
  }
  const costs = async (id: string) => {
    const ids = asked.get(id) ?? new Map<string, string>()
    const isThere = () => [...ids.values()].every((one) => found.has(one) || / /.test(one))
    // Rows may be written after the answer.
    for (const until = Date.now() + 5_000; !isThere() && Date.now() < until; await Bun.sleep(10)) {
      found = new Map((await rows()).map((row) => [row["request_id"], Number(row["cost_nano_usd"])]))
    }
    return Object.fromEntries([...ids].map(([way, one]) => [way, found.get(one) ?? one.slice(0, 500)]))
  }
  const explained = (id: string) =>
    Promise.all(
      [...(asked.get(id) ?? [])].map(async ([way, one]) => {
        const of = cases.find((other) => other.id === id)
        const key = of !== undefined && way.startsWith(ownFamily(of.wire)) ? secret : gateway.key
        // Rows of requests are written after the answer.
        for (const until = Date.now() + 5_000; Date.now() < until; await Bun.sleep(50)) {
          const answer = await request(gateway, `/v1/requests/${one}`, { key })
          const detail: RequestDetail = await answer.json()
          if (answer.status === 200) return detail.cost ?? undefined
        }
        return undefined
      })
    )
  const quoteOf = async (one: Case): Promise<number> => {
    const [endpoint, body] = bodyOf(one, { family: ownFamily(one.wire), isStreamed: false })
    const quote = await request(gateway, "/v1/quote", { body: { endpoint, body }, key: secret })
    const { maximum, ...rest } = await quote.json()
    return maximum?.cost.nano_usd ?? rest
  }
  const dispose = async () => {
    sqlite?.close()
    await postgres?.close()
    await gateway.dispose()
    await upstream.stop(true)
  }
  return { ask, costs, explained, quoteOf, dispose }
}
