import type Anthropic from "@anthropic-ai/sdk"
import { breaking, mark, weather } from "./Ask.ts"
import type { Answer, Ask, Behind, Caller } from "./Ask.ts"

type Params = Omit<Anthropic.MessageCreateParamsNonStreaming, "stream">
type Content = Anthropic.ContentBlockParam

export const messagesCaller = (anthropic: Anthropic): Caller => ({
  ask: async (ask) => {
    if (!ask.stream) {
      const { data, response } = await anthropic.messages.create(paramsOf(ask)).withResponse()
      return read(data, response.headers)
    }
    const { data, response } = await anthropic.messages.stream(paramsOf(ask)).withResponse()
    return read(await data.finalMessage(), response.headers)
  },
  broken: (ask) =>
    breaking(async (say) => {
      if (!ask.stream) return anthropic.messages.create(paramsOf(ask))
      for await (const event of anthropic.messages.stream(paramsOf(ask))) {
        if (event.type === "content_block_delta" && event.delta.type === "text_delta") say(event.delta.text)
      }
      return undefined
    })
})

const paramsOf = (ask: Ask): Params => {
  const tools: ReadonlyArray<Anthropic.ToolUnion> = [
    ...(ask.tools === true
      ? [{ name: weather.name, description: weather.description, input_schema: weather.parameters, ...marked(ask) }]
      : []),
    ...(ask.searches === true ? [{ type: "web_search_20250305" as const, name: "web_search" as const }] : [])
  ]
  return {
    model: ask.model,
    max_tokens: 4_000,
    messages: [...behind(ask.behind, marked(ask)), ...said(ask)],
    ...(ask.marks === true ? { system: [{ type: "text", text: "Be brief.", ...mark }] } : {}),
    ...(ask.thinks === true ? { thinking: { type: "enabled", budget_tokens: 2_000 } } : {}),
    ...(tools.length > 0 ? { tools: [...tools] } : {}),
    ...(ask.stop === undefined ? {} : { stop_sequences: [ask.stop] }),
    ...(ask.schema === undefined ? {} : { output_config: { format: { type: "json_schema", schema: ask.schema } } })
  }
}

const said = (ask: Ask): ReadonlyArray<Anthropic.MessageParam> =>
  ask.behind !== undefined && ask.behind.results.length > 0 ? [] : [{ role: "user", content: content(ask) }]

const content = ({ document, image, text }: Ask): Array<Content> => [
  { type: "text", text },
  ...(image === undefined ? [] : [picture(image)]),
  ...(document === undefined
    ? []
    : [
        {
          type: "document" as const,
          title: "plan.pdf",
          source: { type: "base64" as const, media_type: "application/pdf" as const, data: document }
        }
      ])
]

const picture = (data: string): Anthropic.ImageBlockParam => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data }
})

const marked = ({ marks }: Ask) => (marks === true ? mark : {})

const behind = (earlier: Behind | undefined, marks: object): ReadonlyArray<Anthropic.MessageParam> => {
  if (earlier === undefined) return []
  const results = earlier.results.map(({ id, image, isError = false, text }): Content => ({
    type: "tool_result",
    tool_use_id: id,
    is_error: isError,
    ...marks,
    content: [{ type: "text", text }, ...(image === undefined ? [] : [picture(image)])]
  }))
  return [
    { role: "user", content: earlier.asked },
    {
      role: "assistant",
      content: (earlier.answer.said as Array<Content>).map((block) =>
        block.type === "tool_use" ? { ...block, ...marks } : block
      )
    },
    ...(results.length === 0 ? [] : [{ role: "user" as const, content: results }])
  ]
}

const endings: Readonly<Record<string, Answer["ended"]>> = {
  tool_use: "tools",
  max_tokens: "max",
  refusal: "refusal"
}

const read = (message: Anthropic.Message, headers: Headers): Answer => ({
  items: message.content.map((block) => item(block, message.stop_reason === "refusal")),
  ended: endings[message.stop_reason ?? ""] ?? "stop",
  stopSequence: message.stop_sequence,
  model: message.model,
  input: message.usage.input_tokens + (message.usage.cache_read_input_tokens ?? 0),
  cached: message.usage.cache_read_input_tokens ?? 0,
  output: message.usage.output_tokens,
  headers,
  said: message.content
})

const item = (block: Anthropic.ContentBlock, isRefused: boolean): Answer["items"][number] => {
  switch (block.type) {
    case "text": {
      const cites = block.citations?.map((cited) => "url" in cited && cited.url)
      return { type: isRefused ? "refusal" : "text", text: block.text, ...(cites ? { cites } : {}) }
    }
    case "thinking":
      return { type: "reasoning", text: block.thinking, opaque: block.signature }
    case "tool_use":
      return { type: "call", id: block.id, name: block.name, input: block.input }
    case "server_tool_use":
      return { type: "search", query: (block.input as { query: string }).query }
    case "web_search_tool_result":
      return { type: "found", urls: Array.isArray(block.content) ? block.content.map(({ url }) => url) : block.content }
    default:
      return { type: block.type }
  }
}
