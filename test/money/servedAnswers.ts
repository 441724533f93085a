import * as fc from "fast-check"
import { costOfChat, costOfMessages, costOfResponses } from "./servedPrices.ts"
import type { Generation, Messages, Responses } from "./servedPrices.ts"

export type Wire = "responses" | "messages" | "chat"

/** A request with the answer that its upstream gives, and the cost of that. */
export interface Asked {
  readonly wire: Wire
  /** Input and output tokens, which the request is made for. */
  readonly input: number
  readonly output: number
  /** The fields of its own dialect; others ask for plain text. */
  readonly fields: object
  readonly answer: Readonly<Record<string, unknown>>
  /** @param most the hold: a charge far above it is not believed */
  readonly cost: (most: number) => number
}

const upTo = (max: number) => fc.integer({ min: 0, max })
const generation: fc.Arbitrary<Generation> = fc.record({ input: upTo(3_000), output: upTo(200) })
const maybe = <A>(one: fc.Arbitrary<A>) => fc.oneof(fc.constant(undefined), one)
const tokens = fc.oneof(upTo(300), upTo(3_000))

const responses = fc
  .record({
    text: tokens,
    audio: fc.oneof(fc.constant(0), upTo(500)),
    image: fc.oneof(fc.constant(0), upTo(500)),
    cached: upTo(4_000),
    written: upTo(2_000),
    halfDay: upTo(2_000),
    output: fc.integer({ min: 1, max: 300 }),
    audioOut: fc.oneof(fc.constant(0), upTo(100)),
    imageOut: fc.oneof(fc.constant(0), upTo(100)),
    asked: fc.constantFrom(undefined, "auto", "default", "priority", "flex"),
    tier: fc.constantFrom(undefined, "default", "auto", "priority", "fast", "flex", "scale"),
    hasTools: fc.boolean(),
    searches: upTo(3),
    code: upTo(3),
    files: upTo(3),
    picture: maybe(fc.record({ input: upTo(200), image: upTo(300), output: upTo(2_000) }))
  })
  .map(({ asked, hasTools, ...all }): Asked => {
    const written = Math.min(all.text, all.written)
    // Written tokens are text: what is cached of a written input is the rest of its text.
    const cached = Math.min(all.cached, written > 0 ? all.text - written : all.text + all.audio + all.image)
    const tools = hasTools ? {} : { searches: 0, code: 0, files: 0, picture: undefined }
    const one: Responses = { ...all, written, cached, halfDay: Math.min(written, all.halfDay), ...tools }
    const calls = (type: string, count: number, more: object) =>
      Array.from({ length: count }, (_, index) => ({ type, id: `${type}_${index}`, status: "completed", ...more }))
    const { picture } = one
    const input = one.text + one.audio + one.image
    const output = one.output + one.audioOut + one.imageOut
    return {
      wire: "responses",
      input,
      output,
      fields: {
        ...(asked !== undefined && { service_tier: asked }),
        ...(hasTools && {
          tools: [
            { type: "web_search" },
            { type: "code_interpreter", container: { type: "auto" } },
            { type: "file_search", vector_store_ids: ["vs_1"] },
            { type: "image_generation", model: "images" }
          ]
        })
      },
      answer: {
        object: "response",
        status: "completed",
        ...(one.tier !== undefined && { service_tier: one.tier }),
        tools: [{ type: "image_generation", model: "images" }],
        output: [
          ...calls("code_interpreter_call", one.code, { code: "1", container_id: "c", outputs: [] }),
          ...calls("file_search_call", one.files, { queries: [], results: null })
        ],
        tool_usage: {
          web_search: { num_requests: one.searches },
          ...(picture !== undefined && {
            image_gen: {
              input_tokens: picture.input + picture.image,
              input_tokens_details: { text_tokens: picture.input, image_tokens: picture.image },
              output_tokens: picture.output,
              output_tokens_details: { text_tokens: 0, image_tokens: picture.output }
            }
          })
        },
        usage: {
          input_tokens: input,
          input_tokens_details: {
            cached_tokens: one.cached,
            cache_write_tokens: written,
            cache_write_tokens_details: { ttl_30m_tokens: written - one.halfDay, ttl_12h_tokens: one.halfDay },
            audio_tokens: one.audio,
            image_tokens: one.image
          },
          output_tokens: output,
          output_tokens_details: { reasoning_tokens: 0, audio_tokens: one.audioOut, image_tokens: one.imageOut },
          total_tokens: input + output
        }
      },
      cost: () => costOfResponses(one)
    }
  })

const messages = fc
  .record({
    input: tokens,
    read: fc.oneof(fc.constant(0), upTo(2_000)),
    written: fc.oneof(fc.constant(0), upTo(500)),
    hour: fc.oneof(fc.constant(0), upTo(500)),
    output: fc.integer({ min: 1, max: 300 }),
    asked: fc.constantFrom(undefined, "standard", "fast"),
    speed: fc.constantFrom(undefined, "standard", "fast"),
    geo: fc.constantFrom(undefined, "global", "us", "not_available"),
    hasMore: fc.boolean(),
    searches: upTo(3),
    compaction: maybe(generation),
    advisor: maybe(generation)
  })
  .map(({ asked, hasMore, ...all }): Asked => {
    const one: Messages = { ...all, ...(hasMore ? {} : { searches: 0, compaction: undefined, advisor: undefined }) }
    const { advisor, compaction } = one
    const iteration = (type: string, { input, output }: Generation, model: string) => ({
      type,
      model,
      input_tokens: input,
      output_tokens: output,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0
    })
    return {
      wire: "messages",
      input: one.input + one.read + one.written + one.hour,
      output: one.output,
      fields: {
        ...(asked !== undefined && { speed: asked }),
        ...(hasMore && {
          tools: [
            { type: "web_search_20250305", name: "web_search", max_uses: 3 },
            { type: "advisor_20260301", name: "advisor", model: "advisor" }
          ],
          context_management: { edits: [{ type: "compact_20260112" }] }
        })
      },
      answer: {
        usage: {
          input_tokens: one.input,
          cache_read_input_tokens: one.read,
          cache_creation_input_tokens: one.written + one.hour,
          cache_creation: { ephemeral_5m_input_tokens: one.written, ephemeral_1h_input_tokens: one.hour },
          output_tokens: one.output,
          service_tier: "standard",
          ...(one.speed !== undefined && { speed: one.speed }),
          ...(one.geo !== undefined && { inference_geo: one.geo }),
          server_tool_use: { web_search_requests: one.searches, web_fetch_requests: 0 },
          iterations: [
            iteration("message", one, "m"),
            ...(compaction === undefined ? [] : [iteration("compaction", compaction, "m")]),
            ...(advisor === undefined ? [] : [iteration("advisor_message", advisor, "advisor")])
          ]
        }
      },
      cost: () => costOfMessages(one)
    }
  })

const chat = fc
  .record({ input: upTo(300), output: fc.integer({ min: 1, max: 300 }), micro: upTo(40_000) })
  .map(({ input, micro, output }): Asked => ({
    wire: "chat",
    input,
    output,
    fields: {},
    answer: {
      usage: { prompt_tokens: input, completion_tokens: output, total_tokens: input + output, cost: micro / 1e6 }
    },
    cost: (most) => (micro * 1_000 <= 10 * most ? micro * 1_000 : costOfChat({ input, output }))
  }))

export const asks = fc.oneof(
  { arbitrary: responses, weight: 4 },
  { arbitrary: messages, weight: 3 },
  { arbitrary: chat, weight: 1 }
)

const fast = { input: 10, output: 300, speed: "fast", geo: "us" } as const
const none = { read: 0, written: 0, hour: 0, searches: 0, compaction: undefined, advisor: undefined } as const

/** Served faster than it was asked for, and so above its hold. */
export const unasked: Asked = {
  wire: "messages",
  input: fast.input,
  output: fast.output,
  fields: {},
  answer: {
    usage: {
      input_tokens: fast.input,
      output_tokens: fast.output,
      speed: fast.speed,
      inference_geo: fast.geo
    }
  },
  cost: () => costOfMessages({ ...fast, ...none })
}
