import { expect, it } from "vitest"
import { askOf, refusalOf } from "./refusals.ts"
import {
  AT,
  C,
  call,
  G,
  GT,
  hi,
  K,
  kCall,
  kHi,
  kResult,
  KT,
  O,
  oCall,
  oResult,
  OT,
  probes,
  R,
  result
} from "./probe.ts"
import type { Probe } from "./probe.ts"
import type { Any, Place } from "./rule.ts"
import "./probes1.ts"
import "./probes2.ts"

const usual: Readonly<Record<string, readonly [string, (model: string) => string]>> = {
  anthropic: ["claude-sonnet-4-5", () => "/v1/messages"],
  "foundry-claude": ["claude-sonnet-4-5", () => "/anthropic/v1/messages"],
  "bedrock-mantle": ["anthropic.claude-sonnet-4-5", () => "/anthropic/v1/messages"],
  "bedrock-invoke": [
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    (model) => `/model/${encodeURIComponent(model)}/invoke`
  ],
  "vertex-claude": [
    "claude-sonnet-4-5@20250929",
    (model) => `/v1/projects/p/locations/l/publishers/anthropic/models/${model}:rawPredict`
  ],
  "bedrock-converse": [
    "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
    (model) => `/model/${encodeURIComponent(model)}/converse`
  ],
  "openai-responses": ["gpt-5.2", () => "/v1/responses"],
  "azure-responses": ["gpt-5.2", () => "/openai/v1/responses"],
  gemini: ["gemini-3-pro-preview", (model) => `/v1beta/models/${model}:generateContent`],
  "vertex-gemini": [
    "gemini-3-pro-preview",
    (model) => `/v1/projects/p/locations/l/publishers/google/models/${model}:generateContent`
  ]
}
const asked = ({ body, bytes, headers, model, path, place }: Probe) => {
  const [name, at] = usual[place] ?? ["gpt-5.2", () => "/v1/chat/completions"]
  const id = model ?? name
  const inBody =
    place === "bedrock-invoke"
      ? { anthropic_version: "bedrock-2023-05-31" }
      : place === "vertex-claude"
        ? { anthropic_version: "vertex-2023-10-16" }
        : place === "bedrock-converse" || place.endsWith("gemini")
          ? {}
          : { model: id }
  const where = (path ?? at(id)).replace("/model/x/", `/model/${encodeURIComponent(id)}/`)
  const ask = askOf(
    new URL(`http://127.0.0.1/${place}${where}`),
    { "anthropic-version": "2023-06-01", ...headers },
    JSON.stringify({ ...inBody, ...body })
  )
  return ask === undefined
    ? undefined
    : { ...ask, ...(bytes !== undefined && { bytes }), knows: (signature: string) => signature === "ours" }
}

const sound: ReadonlyArray<readonly [Place, Any]> = [
  ...(["anthropic", "foundry-claude", "bedrock-mantle", "bedrock-invoke", "vertex-claude"] as const).map(
    (place) => [place, C({ tools: [AT], messages: [hi, call, result] })] as const
  ),
  ["bedrock-converse", K({ toolConfig: KT, messages: [kHi, kCall, kResult] })],
  ...(["openai-chat", "azure-chat", "groq", "xai", "cerebras", "vllm", "ollama"] as const).map(
    (place) => [place, O({ tools: [OT], messages: [hi, oCall, oResult] })] as const
  ),
  ["deepseek", O({ messages: [hi] })],
  ["mistral", O({ tools: [OT] })],
  ["openai-responses", R({})],
  ["azure-responses", R({})],
  ["gemini", G({ tools: [GT] })],
  ["vertex-gemini", G({ tools: [GT] })]
]

it("refuses each probe by its rule", () => {
  const missed = probes.flatMap((one) => {
    const ask = asked(one)
    const ids = ask === undefined ? [] : (refusalOf(ask)?.all.map(({ rule }) => rule.id) ?? [])
    return ids.includes(one.id) ? [] : [`${one.place} takes what ${one.id} should refuse`]
  })
  expect(missed).toEqual([])
  expect(new Set(probes.map(({ id }) => id)).size).toBe(100)
})

it("takes sound requests", () => {
  for (const [place, body] of sound) {
    const ask = asked({ id: "", place, body })
    expect([place, ask === undefined ? "no ask" : refusalOf(ask)?.first.says]).toEqual([place, undefined])
  }
})
