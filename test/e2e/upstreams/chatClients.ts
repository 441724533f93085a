import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { HumanMessage } from "@langchain/core/messages"
import type { AIMessageChunk, UsageMetadata } from "@langchain/core/messages"
import { ChatOpenAI } from "@langchain/openai"
import { APICallError, generateText, jsonSchema, Output, streamText, tool } from "ai"
import type { ToolSet } from "ai"
import OpenAI from "openai"
import OpenAI6 from "openai-6"
import { pixel } from "../../upstreams/conversations.ts"

/** A request, independent of any client. */
export interface Ask {
  readonly model: string
  readonly text: string
  readonly stream: boolean
  readonly tools?: boolean
  readonly image?: boolean
}

/** The answer as the client returns it. */
export interface Answer {
  readonly text: string
  readonly calls: ReadonlyArray<{ readonly name: string; readonly input: unknown }>
  readonly usage: Readonly<Record<"input" | "cached" | "output", number | undefined>>
}

/** A library that speaks chat completions. */
export interface Client {
  readonly ask: (ask: Ask) => Promise<Answer>
  /** The answer as an object of the schema `place`. */
  readonly place: (model: string, text: string) => Promise<unknown>
  /** An HTTP error's status. */
  readonly statusOf: (error: unknown) => number | undefined
}

interface Gateway {
  readonly url: string
  readonly key: string
}

const parameters = {
  type: "object" as const,
  properties: { city: { type: "string" as const } },
  required: ["city"],
  additionalProperties: false
}
const response_format = {
  type: "json_schema" as const,
  json_schema: { name: "place", schema: parameters, strict: true }
}
const data = `data:image/png;base64,${pixel}`
const functionTool = {
  type: "function" as const,
  function: { name: "get_weather", description: "The weather", parameters }
}

const weather = tool({
  description: "The weather",
  inputSchema: jsonSchema<{ city: string }>(parameters),
  execute: () => "Sunny"
})

const official =
  (Class: typeof OpenAI) =>
  ({ key, url }: Gateway): Client => {
    const client = new Class({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 })
    return {
      ask: async ({ image, model, stream, text, tools }) => {
        const params: OpenAI.ChatCompletionCreateParamsNonStreaming = {
          model,
          max_completion_tokens: 500,
          messages: [
            {
              role: "user",
              content: [
                { type: "text", text },
                ...(image === true ? [{ type: "image_url" as const, image_url: { url: data } }] : [])
              ]
            }
          ],
          ...(tools === true ? { tools: [functionTool] } : {})
        }
        const streaming = { ...params, stream: true as const, stream_options: { include_usage: true } }
        const { choices, usage } = stream
          ? await client.chat.completions.stream(streaming).finalChatCompletion()
          : await client.chat.completions.create(params)
        const { content, tool_calls } = choices[0]!.message
        return {
          text: content ?? "",
          calls: (tool_calls ?? []).flatMap((call) =>
            call.type === "function" ? [{ name: call.function.name, input: JSON.parse(call.function.arguments) }] : []
          ),
          usage: {
            input: usage?.prompt_tokens,
            cached: usage?.prompt_tokens_details?.cached_tokens,
            output: usage?.completion_tokens
          }
        }
      },
      place: async (model, text) => {
        const messages = [{ role: "user" as const, content: text }]
        const { choices } = await client.chat.completions.parse({ model, messages, response_format })
        return choices[0]!.message.parsed
      },
      statusOf: (error) => (error instanceof Class.APIError ? error.status : undefined)
    }
  }

const vercel = ({ key, url }: Gateway): Client => {
  const provider = createOpenAICompatible({
    name: "gateway",
    baseURL: `${url}/v1`,
    apiKey: key,
    includeUsage: true,
    supportsStructuredOutputs: true
  })
  return {
    ask: async ({ image, model, stream, text, tools }) => {
      const content = [
        { type: "text" as const, text },
        ...(image === true ? [{ type: "image" as const, image: data }] : [])
      ]
      const offered: ToolSet = tools === true ? { get_weather: weather } : {}
      const options = {
        model: provider(model),
        maxRetries: 0,
        maxOutputTokens: 500,
        messages: [{ role: "user" as const, content }],
        tools: offered
      }
      if (!stream) return vercelAnswer(await generateText(options))
      const failed = Promise.withResolvers<never>()
      const result = streamText({ ...options, onError: ({ error }) => failed.reject(error) })
      return vercelAnswer({
        text: await Promise.race([result.text, failed.promise]),
        toolCalls: await result.toolCalls,
        usage: await result.usage
      })
    },
    place: async (model, prompt) => {
      const output = Output.object({ name: "place", schema: jsonSchema(parameters) })
      return (await generateText({ model: provider(model), maxRetries: 0, prompt, output })).output
    },
    statusOf: (error) => (APICallError.isInstance(error) ? error.statusCode : undefined)
  }
}

type Generated = Pick<Awaited<ReturnType<typeof generateText>>, "text" | "usage"> & {
  readonly toolCalls: ReadonlyArray<{ readonly toolName: string; readonly input: unknown }>
}

const vercelAnswer = ({ text, toolCalls, usage }: Generated): Answer => ({
  text,
  calls: toolCalls.map(({ input, toolName: name }) => ({ name, input })),
  usage: { input: usage.inputTokens, cached: usage.inputTokenDetails.cacheReadTokens, output: usage.outputTokens }
})

const langchain = ({ key, url }: Gateway): Client => {
  const connect = (model: string) =>
    new ChatOpenAI({ model, apiKey: key, configuration: { baseURL: `${url}/v1` }, maxRetries: 0, maxTokens: 500 })
  return {
    ask: async ({ image, model, stream, text, tools }) => {
      const runnable = tools === true ? connect(model).bindTools([functionTool]) : connect(model)
      const message = new HumanMessage({
        content: [
          { type: "text", text },
          ...(image === true ? [{ type: "image_url" as const, image_url: { url: data } }] : [])
        ]
      })
      const {
        text: said,
        tool_calls,
        usage_metadata
      } = await (stream ? added(await runnable.stream([message])) : runnable.invoke([message]))
      const usage = usage_metadata as UsageMetadata | undefined
      return {
        text: said,
        calls: (tool_calls ?? []).map(({ args: input, name }) => ({ name, input })),
        usage: {
          input: usage?.input_tokens,
          cached: usage?.input_token_details?.cache_read,
          output: usage?.output_tokens
        }
      }
    },
    place: (model, text) =>
      connect(model).withStructuredOutput(parameters, { name: "place", method: "jsonSchema" }).invoke(text),
    statusOf: (error) => (error instanceof Error && "status" in error ? Number(error.status) : undefined)
  }
}

const added = async (chunks: AsyncIterable<AIMessageChunk>): Promise<AIMessageChunk> => {
  const all: Array<AIMessageChunk> = []
  for await (const chunk of chunks) all.push(chunk)
  return all.reduce((whole, chunk) => whole.concat(chunk))
}

/** Each library as it is used, in front of a gateway. */
export const chatClients = {
  "openai 7": official(OpenAI),
  // Its types differ where nothing here looks.
  "openai 6": official(OpenAI6 as unknown as typeof OpenAI),
  "@ai-sdk/openai-compatible": vercel,
  "LangChain's ChatOpenAI": langchain
} as const
export const chatClientNames = ["openai 7", "openai 6", "@ai-sdk/openai-compatible", "LangChain's ChatOpenAI"] as const
