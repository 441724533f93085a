import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { expectError } from "./families.ts"

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway.dispose())

const response = { model: "sandbox-text", input: "Hi" }
const message = { model: "sandbox-text", max_tokens: 10, messages: "Hi" }
const chat = { model: "sandbox-text", messages: [{ role: "user", content: "Hi" }] }
const video = { model: "sandbox-video" }
const user = (content: unknown) => [{ role: "user", content }]

/** Fields of several forms, with a value that is meant for one of them and wrong in it: the part that is wrong. */
const wrong = [
  ["/v1/responses", { ...response, tool_choice: { type: "function" } }, "tool_choice.name"],
  ["/v1/responses", { ...response, tool_choice: { type: "allowed_tools", mode: "auto" } }, "tool_choice.tools"],
  ["/v1/responses", { ...response, text: { format: { type: "json_schema", name: "n" } } }, "text.format.schema"],
  ["/v1/responses", { ...response, tools: [{ type: "function", name: 1 }] }, "tools[0].name"],
  ["/v1/responses", { ...response, input: user([{ type: "input_text" }]) }, "input[0].content[0].text"],
  ["/v1/responses", { ...response, input: [{ type: "function_call", call_id: "c" }] }, "input[0]."],
  ["/v1/messages", { ...message, tool_choice: { type: "tool" } }, "tool_choice.name"],
  ["/v1/messages", { ...message, thinking: { type: "enabled" } }, "thinking.budget_tokens"],
  ["/v1/messages", { ...message, system: [{ type: "text" }] }, "system[0].text"],
  ["/v1/messages", { ...message, messages: user([{ type: "text" }]) }, "messages[0].content[0].text"],
  ["/v1/messages", { ...message, messages: user([{ type: "image" }]) }, "messages[0].content[0].source"],
  ["/v1/messages", { ...message, messages: user([{ type: "tool_result" }]) }, "messages[0].content[0].tool_use_id"],
  ["/v1/chat/completions", { ...chat, tool_choice: { type: "function" } }, "tool_choice.function"],
  ["/v1/chat/completions", { ...chat, response_format: { type: "json_schema" } }, "response_format.json_schema"],
  ["/v1/chat/completions", { ...chat, tools: [{ type: "function" }] }, "tools[0].function"],
  ["/v1/chat/completions", { ...chat, stop: ["a", 1] }, "stop[1]"],
  ["/v1/chat/completions", { ...chat, messages: user([{ type: "image_url" }]) }, "messages[0].content[0].image_url"],
  ["/v1/chat/completions", { ...chat, messages: user([{ type: "text" }]) }, "messages[0].content[0].text"],
  ["/api/v3/contents/generations/tasks", { ...video, content: [{ type: "text" }] }, "content[0].text"],
  ["/api/v3/contents/generations/tasks", { ...video, content: [{ type: "image_url" }] }, "content[0].image_url"]
] as const

it.each(wrong)("%s names the wrong part of a field of several forms: %j", async (path, body, field) => {
  const headers = { authorization: `Bearer ${gateway.key}` }
  const answer = await fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) })
  const { message } = await expectError(path, "invalid", answer)
  expect(message.slice(0, field.length)).toBe(field)
})
