import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import type { ResponseFrame } from "../../src/responses/encoding.ts"
import { read } from "../responses/strictClient.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

let gateway: GatewayHere
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-responses-"))
  writeFileSync(join(folder, "gateway.yaml"), "models: { gpt-5.1: sandbox, gpt-5-pro: sandbox }\n")
  gateway = await startGateway({ folder })
})
afterAll(() => gateway.dispose())

const post = async (body: object, path = "/v1/responses") => {
  const response = await request(gateway, path, { body })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
const create = async (body: object) => JSON.parse((await post(body)).text)

const framesOf = (text: string): ReadonlyArray<ResponseFrame> =>
  text
    .split("\n\n")
    .filter((block) => block.startsWith("event: "))
    .map((block) => {
      const [event, data] = block.split("\n")
      const frame: ResponseFrame = JSON.parse(data!.slice("data: ".length))
      expect(event).toBe(`event: ${frame.type}`)
      return frame
    })

describe("what Codex sends", () => {
  const body = (input: ReadonlyArray<unknown>) => ({
    model: "gpt-5.1",
    instructions: "You are a coding agent.",
    input,
    tools: [
      { type: "function", name: "exec_command", description: "", strict: false, parameters: { type: "object" } },
      {
        type: "namespace",
        name: "crm",
        description: "Customers",
        tools: [
          {
            type: "function",
            name: "find_customer",
            strict: false,
            parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] }
          }
        ]
      },
      { type: "web_search", external_web_access: false },
      { type: "image_generation", output_format: "png" }
    ],
    tool_choice: "auto",
    parallel_tool_calls: true,
    reasoning: { effort: "medium", summary: "auto" },
    store: false,
    stream: true,
    include: ["reasoning.encrypted_content"],
    prompt_cache_key: "0199",
    text: { verbosity: "low" },
    client_metadata: { "x-codex-installation-id": "1" }
  })
  const question = { type: "message", role: "user", content: [{ type: "input_text", text: "Find the customer Ada." }] }

  it("is answered, its namespaces kept apart, and taken back in the next turn", async () => {
    const first = await post(body([question]))
    expect(first.status).toBe(200)
    expect(first.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
    const response = read(framesOf(first.text))
    const [reasoning, call] = response.output
    expect(reasoning).toHaveProperty("encrypted_content", expect.stringMatching(/^mg1\./))
    expect(call).toMatchObject({ type: "function_call", namespace: "crm", name: "find_customer" })
    expect(response.tools.map((tool) => tool["type"])).toEqual(["function", "namespace", "web_search"])
    const callId = call?.type === "function_call" ? call.call_id : ""
    const output = { type: "function_call_output", call_id: callId, output: "Ada Lovelace" }
    const second = read(framesOf((await post(body([question, ...response.output, output]))).text))
    expect(second.status).toBe("completed")
    expect(JSON.stringify(second.output)).toContain("Ada Lovelace")
  })

  it("is not stored when it says so", async () => {
    const { id } = read(framesOf((await post(body([question]))).text))
    const next = await create({ model: "gpt-5.1", previous_response_id: id, input: "go on" })
    expect(next.error).toEqual({
      code: "invalid_params",
      type: "invalid_request_error",
      param: "previous_response_id",
      message: `Previous response with id '${id}' not found.`
    })
  })
})

describe("reasoning effort", () => {
  it("defaults by the model, and is refused where the model has no such value", async () => {
    expect((await create({ model: "gpt-5.1", input: "hi" })).reasoning.effort).toBe("none")
    expect((await create({ model: "gpt-5-pro", input: "hi" })).reasoning.effort).toBe("high")
    const { error } = await create({ model: "gpt-5-pro", input: "hi", reasoning: { effort: "low" } })
    expect(error).toMatchObject({
      param: "reasoning.effort",
      message: "Unsupported value: 'low' is not supported with the 'gpt-5-pro' model. Supported values are: 'high'."
    })
  })
})

describe("a failure in the middle of a stream", () => {
  it("is an error in both its forms and then response.failed, with what there was", async () => {
    const { text } = await post({
      model: "gpt-5.1",
      stream: true,
      input: "[[sandbox: cut=5]] Tell me a story about the sea."
    })
    const response = read(framesOf(text))
    expect(response).toMatchObject({ status: "failed", error: { code: "server_error", type: "server_error" } })
    expect(response.output.at(-1)).toMatchObject({ type: "message", status: "incomplete" })
  })
})

describe("input tokens", () => {
  it("are counted over the chain too", async () => {
    const count = async (body: object) => JSON.parse((await post(body, "/v1/responses/input_tokens")).text)
    const alone = await count({ model: "gpt-5.1", input: "Thanks!" })
    expect(alone.object).toBe("response.input_tokens")
    const { id } = await create({ model: "gpt-5.1", input: "Tell me about the sea." })
    const chained = await count({ model: "gpt-5.1", input: "Thanks!", previous_response_id: id })
    expect(chained.input_tokens).toBeGreaterThan(alone.input_tokens + 5)
  })
})
