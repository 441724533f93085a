import { describe, expect, it } from "@effect/vitest"
import { carriedFields } from "../../../src/generation/Conversation.ts"
import type { Conversation } from "../../../src/generation/Conversation.ts"
import { anthropicMessages } from "../../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { bedrockConverse } from "../../../src/upstreams/protocols/bedrockConverse/bedrockConverse.ts"
import { carriedBy, leftOutBy } from "../../../src/upstreams/protocols/fieldFates.ts"
import type { ConversationField } from "../../../src/upstreams/protocols/fieldFates.ts"
import { gemini } from "../../../src/upstreams/protocols/gemini/gemini.ts"
import { providers } from "../../../src/upstreams/protocols/openaiChat/compatible.ts"
import { openaiChat } from "../../../src/upstreams/protocols/openaiChat/openaiChat.ts"
import { openaiResponses } from "../../../src/upstreams/protocols/openaiResponses/openaiResponses.ts"
import type { Protocol } from "../../../src/upstreams/protocols/Protocol.ts"
import { conversation, user, weather } from "../conversations.ts"

const bare = conversation()

/** A value of each field, with what else a request with it has. */
const samples: Readonly<Record<ConversationField, Partial<Conversation>>> = {
  system: { system: ["Be brief."] },
  items: { items: [user("Hi"), user("there")] },
  tools: { tools: [weather] },
  toolChoice: { tools: [weather], toolChoice: { type: "tool", name: weather.name } },
  parallelToolCalls: { tools: [weather], parallelToolCalls: false },
  maxOutputTokens: { maxOutputTokens: 1_234 },
  stopSequences: { stopSequences: ["END"] },
  format: { format: { type: "json-schema", name: "n", description: undefined, schema: {}, strict: undefined } },
  truncation: { truncation: "auto" },
  endUser: { endUser: "u-1" },
  cacheKey: { cacheKey: "k-1", cachesByItself: true },
  cacheRetention: { cacheRetention: "24h", cachesByItself: true },
  cacheMarks: { systemMarks: new Map([["Be brief.", {}]]), system: ["Be brief."] },
  verbosity: { verbosity: { value: "low", param: "verbosity" } },
  serviceTier: { serviceTier: "priority" },
  logprobs: { logprobs: { value: 2, param: "logprobs" } },
  seed: { seed: 7 },
  penalties: { penalties: { frequency: 1, presence: 1 } },
  modalities: { modalities: ["text", "image"] },
  audio: {
    items: [
      {
        type: "message",
        role: "user",
        content: [
          { type: "document", name: undefined, source: { type: "base64", mediaType: "audio/wav", data: "aa==" } }
        ]
      }
    ]
  },
  temperature: { sampling: { ...bare.sampling, temperature: 0.5 } },
  topP: { sampling: { ...bare.sampling, topP: 0.5 } },
  topK: { sampling: { ...bare.sampling, topK: 5 } },
  enabled: { reasoning: { ...bare.reasoning, enabled: true } },
  effort: { reasoning: { ...bare.reasoning, effort: "high" } },
  budgetTokens: { reasoning: { ...bare.reasoning, enabled: true, budgetTokens: 2_048 } },
  summary: { reasoning: { ...bare.reasoning, effort: "high", summary: "detailed" } }
}

/** The rest of a sample, without its field. */
const around: Readonly<Partial<Record<ConversationField, Partial<Conversation>>>> = {
  toolChoice: { tools: [weather] },
  parallelToolCalls: { tools: [weather] },
  cacheKey: { cachesByItself: true },
  cacheRetention: { cachesByItself: true },
  cacheMarks: { system: ["Be brief."] },
  budgetTokens: { reasoning: { ...bare.reasoning, enabled: true } },
  summary: { reasoning: { ...bare.reasoning, effort: "high" } }
}

const fields = Object.keys(samples) as ReadonlyArray<ConversationField>
const optional: ReadonlyArray<string> = carriedFields

type Known = Pick<Protocol<never>, "fates" | "lower">
const protocols: ReadonlyArray<readonly [name: string, protocol: Known, model: string]> = [
  ["anthropic-messages", anthropicMessages, "claude-sonnet-4-5"],
  ["bedrock-converse: Claude", bedrockConverse, "anthropic.claude-sonnet-4-5"],
  ["bedrock-converse: others", bedrockConverse, "meta.llama3"],
  ["gemini", gemini, "gemini-2.5-flash-lite"],
  ["openai-responses", openaiResponses, "gpt-5"],
  ["openai-responses: without reasoning", openaiResponses, "gpt-4.1"],
  ...Object.entries(providers).map(([name, row]): readonly [string, Known, string] => [
    `openai-chat: ${name}`,
    openaiChat(row),
    "m"
  ]),
  ["openai-chat: OpenAI's gpt-5", openaiChat(providers.openai), "gpt-5"]
]

describe.each(protocols)("%s", (_, { fates, lower }, model) => {
  const lowered = (over: Partial<Conversation>) => {
    const { adapted, body, refused, stops } = lower(conversation(over), { model, stream: false })
    return { body: JSON.stringify(body), adapted, refused, stops }
  }

  it.each(fields)("drops no field in silence: %s", (field) => {
    const before = lowered(around[field] ?? {})
    const after = lowered(samples[field])
    const isSent = before.body !== after.body
    const named = after.adapted.filter((name) => !before.adapted.includes(name))
    switch (fates[field]) {
      case "carried":
        expect([isSent, named, after.refused]).toEqual([true, [], undefined])
        break
      case "in part":
        expect(isSent || after.adapted.length > 0 || after.refused !== undefined || after.stops.length > 0).toBe(true)
        break
      case "left out":
        // Those that only some upstreams have are named by the request's family, which asks what is carried.
        if (optional.includes(field)) expect([...carriedBy(fates)]).not.toContain(field)
        else expect([isSent, named.length, leftOutBy(fates)]).toEqual([false, 1, expect.arrayContaining([field])])
        break
      case "gateway":
        expect([isSent, named]).toEqual([false, []])
        break
    }
  })
})
