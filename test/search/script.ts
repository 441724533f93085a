import { Effect } from "effect"
import type { Failure } from "../../src/contract/failures/Failure.ts"
import { runFuture } from "../../src/flow/runFuture.ts"
import { Future } from "../../src/flow/Future.ts"
import type { Conversation, SearchTool } from "../../src/generation/Conversation.ts"
import type { Batch, Generation, GenerationEnding } from "../../src/generation/Generation.ts"
import type { GenerationEvent, Usage } from "../../src/generation/GenerationEvent.ts"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { select } from "../../src/search/select.ts"
import type { SearchProvider } from "../../src/search/SearchProvider.ts"
import { corpus } from "../../src/sandbox/corpus.ts"
import type { TextUpstream } from "../../src/upstreams/Upstream.ts"
import type { UpstreamError } from "../../src/upstreams/UpstreamError.ts"
import { search } from "../upstreams/conversations.ts"

export const tool = (over: Partial<SearchTool> = {}): SearchTool => ({ ...search, ...over })

/** A turn of a scripted model: its events, or a way to start it. */
export type Turn =
  | ReadonlyArray<GenerationEvent>
  | ((conversation: Conversation) => Effect.Effect<Generation, Failure | UpstreamError>)

/** A model without a search that plays its turns in order and remembers what it was asked. */
export const scripted = (turns: ReadonlyArray<Turn>) => {
  const asked: Array<Conversation> = []
  const ended: Array<GenerationEnding | undefined> = []
  const upstream: TextUpstream = {
    name: "plain",
    generate: (conversation, { runtime }) => {
      const turn = turns[asked.length]
      asked.push(conversation)
      if (turn === undefined) return Future.die("asked once too often")
      return typeof turn === "function"
        ? runFuture(runtime, turn(conversation))
        : Future.succeed(playing(turn, (how) => ended.push(how)))
    }
  }
  return { upstream, asked, ended }
}

/** One event a batch, and every other one late. */
const playing = (events: ReadonlyArray<GenerationEvent>, cancelled: (how?: GenerationEnding) => void): Generation => {
  let at = 0
  return {
    next: (): Batch | undefined | Promise<Batch | undefined> => {
      const event = events[at++]
      const batch = event === undefined ? undefined : [event]
      return at % 2 === 0 ? Promise.resolve(batch) : batch
    },
    cancel: cancelled
  }
}

export const usage = (inputTokens: number, outputTokens: number): Usage => ({ ...noUsage, inputTokens, outputTokens })
export const used = (inputTokens: number, outputTokens: number): GenerationEvent => ({
  type: "usage",
  usage: usage(inputTokens, outputTokens)
})
export const says = (text: string): ReadonlyArray<GenerationEvent> =>
  Array.from(text, (text) => ({ type: "text-delta", text }))
export const calls = (name: string, callId: string, input: object | string): ReadonlyArray<GenerationEvent> => {
  const text = typeof input === "string" ? input : JSON.stringify(input)
  return [
    { type: "tool-call-start", callId, name, kind: "function" },
    { type: "tool-call-delta", callId, text: text.slice(0, 4) },
    { type: "tool-call-delta", callId, text: text.slice(4) },
    { type: "tool-call-end", callId }
  ]
}
export const stops = (reason: "stop" | "tool-calls" | "max-tokens" = "stop"): GenerationEvent => ({
  type: "finished",
  reason,
  stopSequence: null
})

/** Searches the sandbox's web for pages with a word of the query in their title. */
export const corpusProvider = () => {
  const queries: Array<string> = []
  const provider: SearchProvider = {
    name: "corpus",
    search: ({ query, tool }) =>
      Effect.sync(() => {
        queries.push(query)
        const words = query.toLowerCase().split(" ")
        const found = corpus
          .filter(({ title }) => words.some((word) => title.toLowerCase().includes(word)))
          .map((page) => ({
            url: `https://${page.address}`,
            title: page.title,
            text: page.text,
            date: page.age ?? undefined
          }))
        return { type: "results", results: select(found, tool) }
      })
  }
  return { provider, queries }
}

export const drained = async (generation: Generation): Promise<Array<GenerationEvent>> => {
  const events: Array<GenerationEvent> = []
  for (;;) {
    const next = generation.next()
    const batch = next instanceof Promise ? await next : next
    if (batch === undefined) return events
    events.push(...batch)
  }
}
