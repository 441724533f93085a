import type OpenAI from "openai"
import { breaking, weather } from "./Ask.ts"
import type { Answer, Ask, Behind, Caller, ToolResult } from "./Ask.ts"

type Params = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, "stream">
type Item = OpenAI.Responses.ResponseInputItem

export const responsesCaller = (openai: OpenAI): Caller => ({
  ask: async (ask) => {
    if (!ask.stream) {
      const { data, response } = await openai.responses.create(paramsOf(ask)).withResponse()
      return read(data, response.headers)
    }
    // `stream()` checks every event as it comes, but gives no headers.
    const [{ response }, final] = [
      await openai.responses.create({ ...paramsOf(ask), stream: true }).withResponse(),
      await openai.responses.stream(paramsOf(ask)).finalResponse()
    ]
    await response.body?.cancel()
    return read(final, response.headers)
  },
  broken: (ask) =>
    breaking(async (say) => {
      if (!ask.stream) return openai.responses.create(paramsOf(ask))
      for await (const event of await openai.responses.create({ ...paramsOf(ask), stream: true })) {
        if (event.type === "response.output_text.delta") say(event.delta)
      }
      return undefined
    })
})

const paramsOf = (ask: Ask): Params => {
  const tools: ReadonlyArray<OpenAI.Responses.Tool> = [
    ...(ask.tools === true ? [{ type: "function" as const, strict: false, ...weather }] : []),
    ...(ask.searches === true ? [{ type: "web_search" as const }] : [])
  ]
  return {
    model: ask.model,
    input: [...behind(ask.behind), ...said(ask)],
    include: ["reasoning.encrypted_content", "web_search_call.action.sources"],
    tools: [...tools],
    ...(ask.thinks === true ? { reasoning: { effort: "medium", summary: "auto" } } : {}),
    ...(ask.schema === undefined
      ? {}
      : { text: { format: { type: "json_schema", name: "answer", schema: { ...ask.schema }, strict: true } } })
  }
}

const said = (ask: Ask): ReadonlyArray<Item> =>
  ask.behind !== undefined && ask.behind.results.length > 0 ? [] : [{ role: "user", content: content(ask) }]

const content = ({ document, image, text }: Ask): OpenAI.Responses.ResponseInputMessageContentList => [
  { type: "input_text", text },
  ...(image === undefined ? [] : [picture(image)]),
  ...(document === undefined
    ? []
    : [{ type: "input_file" as const, filename: "plan.pdf", file_data: `data:application/pdf;base64,${document}` }])
]

const picture = (data: string) => ({
  type: "input_image" as const,
  detail: "auto" as const,
  image_url: `data:image/png;base64,${data}`
})

const behind = (earlier: Behind | undefined): ReadonlyArray<Item> => {
  if (earlier === undefined) return []
  const results = earlier.results.map((result): Item => ({
    type: "function_call_output",
    call_id: result.id,
    output: output(result)
  }))
  return [{ role: "user", content: earlier.asked }, ...(earlier.answer.said as ReadonlyArray<Item>), ...results]
}

const output = ({ image, text }: ToolResult) =>
  image === undefined ? text : [{ type: "input_text" as const, text }, picture(image)]

const read = (response: OpenAI.Responses.Response, headers: Headers): Answer => {
  const isFiltered = response.incomplete_details?.reason === "content_filter"
  const items = response.output.flatMap((item) => itemsOf(item, isFiltered))
  const has = (type: string) => items.some((item) => item["type"] === type)
  return {
    items,
    ended: has("refusal") ? "refusal" : response.status === "incomplete" ? "max" : has("call") ? "tools" : "stop",
    model: response.model,
    input: response.usage?.input_tokens ?? Number.NaN,
    cached: response.usage?.input_tokens_details.cached_tokens ?? Number.NaN,
    output: response.usage?.output_tokens ?? Number.NaN,
    headers,
    said: response.output
  }
}

const itemsOf = (item: OpenAI.Responses.ResponseOutputItem, isFiltered: boolean): Answer["items"] => {
  switch (item.type) {
    case "message":
      return item.content.map((part) => {
        if (part.type === "refusal") return { type: "refusal", text: part.refusal }
        const cites = part.annotations.map((note) => "url" in note && note.url)
        return {
          type: isFiltered ? "refusal" : "text",
          text: part.text,
          ...(cites.length > 0 ? { cites } : {})
        }
      })
    case "reasoning": {
      const text = item.summary.map((part) => part.text).join("")
      return [{ type: "reasoning", text, opaque: item.encrypted_content }]
    }
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
}
