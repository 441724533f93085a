import type Anthropic from "@anthropic-ai/sdk"
import type OpenAI from "openai"
import type { World } from "./world.ts"

/** What a caller asks, in the words of neither family. */
export interface Ask {
  readonly model: string
  readonly text: string
  readonly stream: boolean
  readonly tools?: boolean
  readonly thinks?: boolean
  readonly searches?: boolean
  readonly image?: string
  /** A PDF in base64. */
  readonly document?: string
}

/** What its official client makes of the answer. */
export interface Answer {
  readonly items: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly ended: "stop" | "tools" | "max" | "refusal"
  readonly model: string
  /** The whole input, and the part of it that was read from a cache. */
  readonly input: number
  readonly cached: number
  readonly output: number
  readonly headers: Headers
}

export interface Caller {
  readonly ask: (ask: Ask) => Promise<Answer>
  /** Text that a stream gave before it broke, and the error it broke with. */
  readonly broken: (ask: Ask) => Promise<{ readonly text: string; readonly error: unknown }>
}

const parameters = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false
}

const messagesCaller = ({ anthropic }: World): Caller => {
  const paramsOf = (ask: Ask): Omit<Anthropic.MessageCreateParamsNonStreaming, "stream"> => ({
    model: ask.model,
    max_tokens: 4_000,
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: ask.text },
          ...(ask.image === undefined
            ? []
            : [
                {
                  type: "image" as const,
                  source: { type: "base64" as const, media_type: "image/png" as const, data: ask.image }
                }
              ]),
          ...(ask.document === undefined
            ? []
            : [
                {
                  type: "document" as const,
                  title: "plan.pdf",
                  source: { type: "base64" as const, media_type: "application/pdf" as const, data: ask.document }
                }
              ])
        ]
      }
    ],
    ...(ask.thinks === true ? { thinking: { type: "enabled" as const, budget_tokens: 2_000 } } : {}),
    ...(ask.tools === true || ask.searches === true
      ? {
          tools: [
            ...(ask.tools === true
              ? [{ name: "get_weather", description: "The weather", input_schema: parameters }]
              : []),
            ...(ask.searches === true ? [{ type: "web_search_20250305" as const, name: "web_search" as const }] : [])
          ]
        }
      : {})
  })

  const readMessage = (message: Anthropic.Message, headers: Headers): Answer => ({
    items: message.content.flatMap((block): ReadonlyArray<Record<string, unknown>> => {
      switch (block.type) {
        case "text":
          return [
            {
              type: message.stop_reason === "refusal" ? "refusal" : "text",
              text: block.text,
              ...(block.citations ? { cites: block.citations.map((cited) => "url" in cited && cited.url) } : {})
            }
          ]
        case "thinking":
          return [{ type: "reasoning", text: block.thinking, opaque: block.signature }]
        case "tool_use":
          return [{ type: "call", id: block.id, name: block.name, input: block.input }]
        case "server_tool_use":
          return [{ type: "search", query: (block.input as { query: string }).query }]
        case "web_search_tool_result":
          return [
            { type: "found", urls: Array.isArray(block.content) ? block.content.map(({ url }) => url) : block.content }
          ]
        default:
          return [{ type: block.type }]
      }
    }),
    ended:
      message.stop_reason === "tool_use"
        ? "tools"
        : message.stop_reason === "max_tokens"
          ? "max"
          : message.stop_reason === "refusal"
            ? "refusal"
            : "stop",
    model: message.model,
    input: message.usage.input_tokens + (message.usage.cache_read_input_tokens ?? 0),
    cached: message.usage.cache_read_input_tokens ?? 0,
    output: message.usage.output_tokens,
    headers
  })

  return {
    ask: async (ask) => {
      if (!ask.stream) {
        const { data, response } = await anthropic.messages.create(paramsOf(ask)).withResponse()
        return readMessage(data, response.headers)
      }
      const { data, response } = await anthropic.messages.stream(paramsOf(ask)).withResponse()
      return readMessage(await data.finalMessage(), response.headers)
    },
    broken: async (ask) => {
      let text = ""
      try {
        if (!ask.stream) await anthropic.messages.create(paramsOf(ask))
        else {
          for await (const event of anthropic.messages.stream(paramsOf(ask))) {
            if (event.type === "content_block_delta" && event.delta.type === "text_delta") text += event.delta.text
          }
        }
      } catch (error) {
        return { text, error }
      }
      throw new Error("the answer did not break")
    }
  }
}

const responsesCaller = ({ openai }: World): Caller => {
  const paramsOf = (ask: Ask): Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "stream"> => ({
    model: ask.model,
    input: [
      {
        role: "user",
        content: [
          { type: "input_text", text: ask.text },
          ...(ask.image === undefined
            ? []
            : [
                {
                  type: "input_image" as const,
                  detail: "auto" as const,
                  image_url: `data:image/png;base64,${ask.image}`
                }
              ]),
          ...(ask.document === undefined
            ? []
            : [
                {
                  type: "input_file" as const,
                  filename: "plan.pdf",
                  file_data: `data:application/pdf;base64,${ask.document}`
                }
              ])
        ]
      }
    ],
    include: ["reasoning.encrypted_content", "web_search_call.action.sources"],
    ...(ask.thinks === true ? { reasoning: { effort: "medium", summary: "auto" } } : {}),
    tools: [
      ...(ask.tools === true
        ? [
            {
              type: "function" as const,
              name: "get_weather",
              description: "The weather",
              strict: false,
              parameters
            }
          ]
        : []),
      ...(ask.searches === true ? [{ type: "web_search" as const }] : [])
    ]
  })

  const readResponse = (response: OpenAI.Responses.Response, headers: Headers): Answer => {
    const items = response.output.flatMap((item): ReadonlyArray<Record<string, unknown>> => {
      switch (item.type) {
        case "message":
          return item.content.map((part) =>
            part.type === "refusal"
              ? { type: "refusal", text: part.refusal }
              : {
                  type: response.incomplete_details?.reason === "content_filter" ? "refusal" : "text",
                  text: part.text,
                  ...(part.annotations.length > 0
                    ? { cites: part.annotations.map((note) => "url" in note && note.url) }
                    : {})
                }
          )
        case "reasoning":
          return [
            {
              type: "reasoning",
              text: item.summary.map(({ text }) => text).join(""),
              opaque: item.encrypted_content
            }
          ]
        case "function_call":
          return [{ type: "call", id: item.call_id, name: item.name, input: JSON.parse(item.arguments) }]
        case "web_search_call": {
          const action = item.action as { query: string; sources: ReadonlyArray<{ url: string }> }
          return [
            { type: "search", query: action.query },
            { type: "found", urls: action.sources.map(({ url }) => url) }
          ]
        }
        default:
          return [{ type: item.type }]
      }
    })
    return {
      items,
      ended: items.some(({ type }) => type === "refusal")
        ? "refusal"
        : response.status === "incomplete"
          ? "max"
          : items.some(({ type }) => type === "call")
            ? "tools"
            : "stop",
      model: response.model,
      input: response.usage!.input_tokens,
      cached: response.usage!.input_tokens_details.cached_tokens,
      output: response.usage!.output_tokens,
      headers
    }
  }

  return {
    ask: async (ask) => {
      if (!ask.stream) {
        const { data, response } = await openai.responses.create(paramsOf(ask)).withResponse()
        return readResponse(data, response.headers)
      }
      // `stream()` checks every event as it comes, but gives no headers.
      const [{ response }, final] = [
        await openai.responses.create({ ...paramsOf(ask), stream: true }).withResponse(),
        await openai.responses.stream(paramsOf(ask)).finalResponse()
      ]
      await response.body?.cancel()
      return readResponse(final, response.headers)
    },
    broken: async (ask) => {
      let text = ""
      try {
        if (!ask.stream) await openai.responses.create(paramsOf(ask))
        else {
          for await (const event of await openai.responses.create({ ...paramsOf(ask), stream: true })) {
            if (event.type === "response.output_text.delta") text += event.delta
          }
        }
      } catch (error) {
        return { text, error }
      }
      throw new Error("the answer did not break")
    }
  }
}

export const callers = { messages: messagesCaller, responses: responsesCaller } as const
export const families = ["messages", "responses"] as const
