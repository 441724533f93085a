import Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { request } from "../request.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"

let gateway: GatewayHere
beforeAll(async () => {
  gateway = await startGateway({ env: { GATEWAY_LOG: "debug" } })
})
afterAll(() => gateway.dispose())

const asked = async (path: string, headers: Record<string, string> = {}, body?: unknown) => {
  const response = await request(gateway, path, { headers, body })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const unserved = "this gateway does not serve this API"

describe("a path that this gateway does not serve", () => {
  it.each(["/v1/files/a/b", "/v1/skills", "/v1/messages/batches/a/b", "/v1/models/a/b"])(
    "is told to Anthropic's clients in their form: %s",
    async (path) => {
      const headers = { "anthropic-version": "2023-06-01" }
      for (const named of [headers, { "x-api-key": gateway.key }]) {
        expect(await asked(path, named)).toEqual({
          status: 404,
          body: {
            type: "error",
            error: { type: "not_found_error", message: `Invalid URL (GET ${path}): ${unserved}` },
            request_id: expect.stringMatching(/^req_/)
          }
        })
      }
    }
  )

  it("is told to others in OpenAI's form", async () => {
    const { body, status } = await asked("/v1/vector_stores")
    expect(status).toBe(404)
    expect(body).toEqual({
      error: {
        code: "invalid_request_error",
        message: `Invalid URL (GET /v1/vector_stores): ${unserved}`,
        param: null,
        type: "invalid_request_error"
      }
    })
  })

  it("stays that of its own dialect, whatever the headers", async () => {
    const { body } = await asked("/v1/responses/a/b/c", { "anthropic-version": "2023-06-01" })
    expect(body).not.toHaveProperty("type")
    expect(body).toHaveProperty("error.code", "invalid_request_error")
  })

  it("is asked for by Anthropic's client", async () => {
    const client = new Anthropic({ apiKey: gateway.key, baseURL: gateway.url, maxRetries: 0 })
    await expect(client.beta.skills.list()).rejects.toMatchObject({
      status: 404,
      type: "not_found_error",
      message: expect.stringContaining(unserved)
    })
  })
})

describe("the models", () => {
  it.each([
    ["of an unknown id", "/v1/models/nobody", 404, "not_found_error"],
    ["without a key", "/v1/models", 401, "authentication_error"],
    ["of a kind that is none", "/v1/models?kind=cheese", 400, "invalid_request_error"]
  ])("are refused to Anthropic's clients in their form: %s", async (_, path, status, type) => {
    const response = await fetch(gateway.url + path, {
      headers: {
        "anthropic-version": "2023-06-01",
        ...(status === 401 ? {} : { authorization: `Bearer ${gateway.key}` })
      }
    })
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ type: "error", error: { type } })
  })

  it("tell their kind, by which they are filtered", async () => {
    const kinds = async (query: string) => {
      const { body } = await asked(`/v1/models${query}`)
      return (body["data"] as ReadonlyArray<{ id: string; kind: string }>).map(({ id, kind }) => `${id}: ${kind}`)
    }
    const all = await kinds("")
    for (const one of ["sandbox-text: text", "sandbox-embed: embedding", "sandbox-video: video"]) {
      expect(all).toContain(one)
    }
    expect((await kinds("?kind=text")).every((one) => one.endsWith(": text"))).toBe(true)
    expect(await kinds("?kind=embedding")).toEqual(["sandbox-embed: embedding"])
    expect(await kinds("?kind=video")).toEqual(["sandbox-video: video"])
  })
})

describe("the log", () => {
  it("says nothing of Claude Code's start, and calls no refusal an unhandled error", async () => {
    const hello = await fetch(`${gateway.url}/api/hello`, { method: "HEAD" })
    expect(hello.status).toBe(200)
    await asked("/v1/messages", {}, { model: "nobody", max_tokens: 10, messages: [{ role: "user", content: "Hi" }] })
    await asked("/v1/responses/resp_nobody")
    await fetch(`${gateway.url}/v1/responses`, { headers: { authorization: "Bearer sk-wrong" } })
    await asked(
      "/v1/messages",
      { "idempotency-key": "\u00e4" },
      {
        model: "sandbox-text",
        max_tokens: 10,
        messages: [{ role: "user", content: "Hi" }]
      }
    )
    await expect.poll(gateway.output).toContain("/v1/responses/resp_nobody")
    expect(gateway.output()).not.toContain("/api/hello")
    expect(gateway.output()).not.toContain("unhandled error")
  })
})
