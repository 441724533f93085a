import { strict as assert } from "node:assert"
import type OpenAI from "openai"
import { ChatCompletionStream } from "openai/lib/ChatCompletionStream"
import { breaking, mark, weather } from "./Ask.ts"
import type { Answer, Ask, Behind, Caller } from "./Ask.ts"

type Params = Omit<OpenAI.ChatCompletionCreateParamsNonStreaming, "stream">
type Message = OpenAI.ChatCompletionMessageParam

export const chatCaller = (openai: OpenAI): Caller => ({
  ask: async (ask) => {
    if (!ask.stream) {
      const { data, response } = await openai.chat.completions.create(paramsOf(ask)).withResponse()
      return read(data, response.headers)
    }
    const params = { ...paramsOf(ask), stream: true, stream_options: { include_usage: true } } as const
    const { data, response } = await openai.chat.completions.create(params).withResponse()
    const chunks: Array<OpenAI.ChatCompletionChunk> = []
    for await (const chunk of data) chunks.push(chunk)
    // The client's own way of adding up, which knows nothing of reasoning.
    const file = chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join("")
    const final = await ChatCompletionStream.fromReadableStream(new Blob([file]).stream()).finalChatCompletion()
    const added = addUp(chunks)
    const [choice] = final.choices
    assert(choice !== undefined)
    assert.equal(choice.message.content ?? "", added.content)
    const message = { ...choice.message, ...added.more } as OpenAI.ChatCompletionMessage
    return read({ ...final, choices: [{ ...choice, message }] }, response.headers)
  },
  broken: (ask) =>
    breaking(async (say) => {
      if (!ask.stream) return openai.chat.completions.create(paramsOf(ask))
      for await (const chunk of await openai.chat.completions.create({ ...paramsOf(ask), stream: true })) {
        say(chunk.choices[0]?.delta.content ?? "")
      }
      return undefined
    })
})

const paramsOf = (ask: Ask): Params => ({
  model: ask.model,
  messages: [...(ask.marks === true ? [prompt] : []), ...behind(ask.behind), ...said(ask)],
  ...(ask.thinks === true ? { reasoning_effort: "medium" } : {}),
  ...(ask.searches === true ? { web_search_options: {} } : {}),
  ...(ask.tools === true ? { tools: [{ type: "function", function: { strict: false, ...weather } }] } : {}),
  ...(ask.stop === undefined ? {} : { stop: ask.stop }),
  ...(ask.schema === undefined
    ? {}
    : {
        response_format: {
          type: "json_schema",
          json_schema: { name: "answer", schema: { ...ask.schema }, strict: true }
        }
      })
})

/** OpenRouter's and LiteLLM's form, which OpenAI's types do not have. */
const prompt: Message = { role: "system", content: [{ type: "text", text: "Be brief.", ...mark }] }

const said = (ask: Ask): ReadonlyArray<Message> =>
  ask.behind !== undefined && ask.behind.results.length > 0 ? [] : [{ role: "user", content: content(ask) }]

const content = ({ document, image, text }: Ask): Array<OpenAI.ChatCompletionContentPart> => [
  { type: "text", text },
  ...(image === undefined
    ? []
    : [{ type: "image_url" as const, image_url: { url: `data:image/png;base64,${image}` } }]),
  ...(document === undefined
    ? []
    : [
        {
          type: "file" as const,
          file: { filename: "plan.pdf", file_data: `data:application/pdf;base64,${document}` }
        }
      ])
]

/** A tool's message holds text alone. */
const behind = (earlier: Behind | undefined): ReadonlyArray<Message> =>
  earlier === undefined
    ? []
    : [
        { role: "user", content: earlier.asked },
        earlier.answer.said as Message,
        ...earlier.results.map(({ id, text }): Message => ({ role: "tool", tool_call_id: id, content: text }))
      ]

const read = (completion: OpenAI.ChatCompletion, headers: Headers): Answer => {
  const [choice] = completion.choices
  assert(choice !== undefined)
  const { finish_reason, message } = choice
  const more = message as { reasoning_content?: string; reasoning_details?: ReadonlyArray<{ signature: string }> }
  const cites = (message.annotations ?? []).map(({ url_citation: { url } }) => url)
  const text = {
    type: finish_reason === "content_filter" ? "refusal" : "text",
    text: message.content,
    ...(cites.length > 0 ? { cites } : {})
  }
  return {
    items: [
      ...(more.reasoning_content === undefined
        ? []
        : [{ type: "reasoning", text: more.reasoning_content, opaque: more.reasoning_details?.[0]?.signature }]),
      ...(message.content ? [text] : []),
      ...(message.refusal ? [{ type: "refusal", text: message.refusal }] : []),
      ...(message.tool_calls ?? []).map((call) => {
        assert(call.type === "function")
        return { type: "call", id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) }
      })
    ],
    ended: endings[finish_reason] ?? (message.refusal ? "refusal" : "stop"),
    model: completion.model,
    input: completion.usage?.prompt_tokens ?? Number.NaN,
    cached: completion.usage?.prompt_tokens_details?.cached_tokens ?? 0,
    output: completion.usage?.completion_tokens ?? Number.NaN,
    headers,
    said: message
  }
}

const endings: Readonly<Record<string, Answer["ended"]>> = {
  tool_calls: "tools",
  length: "max",
  content_filter: "refusal"
}

/** Folds a stream as clients other than the official one do. */
const addUp = (chunks: ReadonlyArray<OpenAI.ChatCompletionChunk>) => {
  let content = ""
  let reasoning = ""
  const lists: Record<"reasoning_details" | "annotations", Array<unknown>> = { reasoning_details: [], annotations: [] }
  for (const { choices } of chunks) {
    const delta = (choices[0]?.delta ?? {}) as Record<string, never>
    content += delta["content"] ?? ""
    reasoning += delta["reasoning_content"] ?? ""
    for (const name of ["reasoning_details", "annotations"] as const) lists[name].push(...(delta[name] ?? []))
  }
  return { content, more: { ...(reasoning === "" ? {} : { reasoning_content: reasoning }), ...lists } }
}
