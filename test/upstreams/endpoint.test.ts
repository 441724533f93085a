import { expect, it } from "@effect/vitest"
import { Redacted } from "effect"
import { protocolNames } from "../../src/config/sections/Upstream.ts"
import { wrongBaseUrl } from "../../src/config/baseUrl.ts"
import { addressOf, secretsOf } from "../../src/upstreams/Endpoint.ts"
import { protocolOf } from "../../src/upstreams/protocols.ts"
import { wordsOf } from "../../src/upstreams/calls/refusal.ts"

it.each([
  ["/v1", "https://api.example.com", "https://api.example.com/v1/messages"],
  ["/v1", "https://api.example.com/v1", "https://api.example.com/v1/messages"],
  ["/v1", "https://api.example.com/v1//", "https://api.example.com/v1/messages"],
  ["/v1", "https://api.example.com/proxy/", "https://api.example.com/proxy/v1/messages"],
  ["", "https://api.example.com/v2/", "https://api.example.com/v2/messages"],
  ["", "https://api.example.com", "https://api.example.com/messages"],
  [
    "/v1",
    "https://api.example.com/v1?api-version=2024-10-21",
    "https://api.example.com/v1/messages?api-version=2024-10-21"
  ],
  ["", "https://api.example.com/d/?a=1&b=2", "https://api.example.com/d/messages?a=1&b=2"],
  ["", "https://api.example.com/d?", "https://api.example.com/d/messages"]
] as const)("version %j behind %s", (version, baseUrl, address) => {
  expect(addressOf({ version }, baseUrl, "/messages")).toBe(address)
})

const listings = protocolNames.flatMap((name) => {
  const protocol = protocolOf(name)
  return protocol.kind === "text" ? [[name, protocol.listing("https://api.example.com")] as const] : []
})

it.each(listings)("the whole endpoint of %s is no base URL", (_, { endpoint, models }) => {
  for (const path of [endpoint.path, models]) {
    expect(wrongBaseUrl(addressOf(endpoint, "https://api.example.com", path))).toContain(
      `leave "${path.split("?")[0]}" out`
    )
  }
})

const body = JSON.stringify({
  error: { message: "None of the max_tokens in ollama fit: dummy sk-planted-1234, EMPTY" }
})

it.each([
  ["none", "None of the max_tokens in ollama fit: dummy […], EMPTY"],
  ["k", "None of the max_tokens in ollama fit: dummy […], EMPTY"],
  ["EMPTY", "None of the max_tokens in ollama fit: dummy […], EMPTY"],
  ["dummy", "None of the max_tokens in ollama fit: dummy […], EMPTY"],
  ["lm-studio", "None of the max_tokens in ollama fit: dummy […], EMPTY"],
  ["max_tokens", "None of the […] in ollama fit: dummy […], EMPTY"]
])("the key %j is cut out of an upstream's words if it is a secret", (apiKey, words) => {
  const headers = { authorization: `Bearer ${apiKey}`, "x-mode": "ollama", "x-key": "sk-planted-1234" }
  const secrets = secretsOf({ baseUrl: "http://llm/v1", apiKey: Redacted.make(apiKey), headers })
  expect(wordsOf({ body, secrets })).toBe(words)
})

it("the version in a base URL's query is no secret, other values are", () => {
  const secrets = secretsOf({
    baseUrl: "https://llm.example.com/v1?api-version=2024-08-06&code=planted-1234",
    apiKey: undefined
  })
  const body = JSON.stringify({ error: { message: "no gpt-4o-2024-08-06 for planted-1234" } })
  expect(wordsOf({ body, secrets })).toBe("no gpt-4o-2024-08-06 for […]")
})
