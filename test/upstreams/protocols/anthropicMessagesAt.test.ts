import { expect, it } from "@effect/vitest"
import { anthropicMessagesAt } from "../../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"

it.each([
  ["https://bedrock-mantle.eu-west-1.api.aws/anthropic", "bedrock", true],
  ["http://127.0.0.1:9/anthropic", "mantle", true],
  ["http://127.0.0.1:9", "anthropic-aws", true],
  ["https://bedrock-runtime.eu-west-1.amazonaws.com/anthropic", "bedrock", false]
])("Claude at %s (%s) searches the web: %s", (baseUrl, provider, expected) => {
  const { endpoint, searches } = anthropicMessagesAt(baseUrl, provider)
  expect(searches).toBe(expected)
  expect(endpoint.headers("key")).toMatchObject({ authorization: "Bearer key" })
  expect(endpoint.path).toBe("/messages")
})
