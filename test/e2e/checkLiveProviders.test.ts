import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { rowNames } from "../../src/config/providers/providers.ts"
import { runCommand } from "./command.ts"

const secret = "planted-secret-0123456789"

interface Refusals {
  readonly entry: Readonly<Record<string, unknown>>
  readonly model: string
  /** The provider's own words for credentials that it does not accept. */
  readonly key: readonly [status: number, body: unknown]
  /** Its list of models, which lacks the model that is routed to it; undefined if it has none. */
  readonly list?: unknown
  /** Its own words for a model that it has not. */
  readonly noModel?: readonly [status: number, body: unknown]
  /** The setting to change for either. */
  readonly keySetting: string
  readonly modelSetting?: string
}

const key = { api_key: secret }
const openaiKey = {
  error: { message: "Incorrect API key provided: plan***6789.", type: "invalid_request_error", code: "invalid_api_key" }
}
const openaiList = { object: "list", data: [{ id: "another" }] }
const aws = { kind: "aws", access_key_id: "AKIAFIXED0000000001", secret_access_key: secret }
const deployment = (code: string) => ({
  error: { code, message: "The API deployment for this resource does not exist." }
})
const azureKey = {
  error: { code: "401", message: "Access denied due to invalid subscription key or wrong API endpoint." }
}
const google = (code: number, status: string, message: string, details: ReadonlyArray<unknown> = []) => ({
  error: { code, status, message, details }
})

/** Providers whose answers are their own. */
const own: Readonly<Record<string, Refusals>> = {
  anthropic: {
    entry: key,
    model: "claude-none",
    key: [401, { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } }],
    list: { data: [{ type: "model", id: "another" }], has_more: false },
    keySetting: "upstreams.anthropic.api_key"
  },
  gemini: {
    entry: key,
    model: "gemini-none",
    key: [
      400,
      google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", [
        { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "API_KEY_INVALID" }
      ])
    ],
    list: { models: [{ name: "models/another", supportedGenerationMethods: ["generateContent"] }] },
    keySetting: "upstreams.gemini.api_key"
  },
  vertex: {
    entry: { region: "global", project: "house", headers: { authorization: `Bearer ${secret}` } },
    model: "gemini-none",
    key: [
      403,
      google(
        403,
        "PERMISSION_DENIED",
        "Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/house' (or it may not exist)."
      )
    ],
    noModel: [
      404,
      google(
        404,
        "NOT_FOUND",
        "Publisher Model `projects/house/locations/global/publishers/google/models/gemini-none` was not found or your project does not have access to it."
      )
    ],
    keySetting: "upstreams.vertex.base_url or upstreams.vertex.region or upstreams.vertex.project is wrong"
  },
  bedrock: {
    entry: { region: "us-east-1", auth: aws },
    model: "amazon.nova-none-v1:0",
    key: [403, { message: "The security token included in the request is invalid." }],
    noModel: [400, { message: "The provided model identifier is invalid." }],
    keySetting:
      "the identity of upstreams.bedrock.auth, or upstreams.bedrock.base_url or upstreams.bedrock.region is wrong"
  },
  kling: {
    entry: { api_key: `access:${secret}` },
    model: "kling-none",
    key: [401, { code: 1002, message: "access key not found", request_id: "r-1" }],
    list: { code: 0, data: [] },
    keySetting: "upstreams.kling.api_key"
  },
  mantle: {
    entry: { region: "us-east-1", auth: aws },
    model: "deepseek.none",
    key: [403, { message: "The security token included in the request is invalid." }],
    list: openaiList,
    keySetting:
      "the identity of upstreams.mantle.auth, or upstreams.mantle.base_url or upstreams.mantle.region is wrong"
  },
  "anthropic-aws": {
    entry: { region: "us-east-1", api_key: secret, headers: { "anthropic-workspace-id": "wrkspc_house" } },
    model: "claude-none",
    key: [401, { type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } }],
    list: { data: [{ type: "model", id: "another" }], has_more: false },
    keySetting: "upstreams.anthropic-aws.api_key"
  },
  "azure-deployments": {
    entry: { resource: "house", api_key: secret },
    model: "no-deployment",
    key: [401, azureKey],
    noModel: [404, deployment("DeploymentNotFound")],
    keySetting: "upstreams.azure-deployments.api_key"
  },
  azure: {
    entry: { resource: "house", api_key: secret },
    model: "no-deployment",
    key: [401, azureKey],
    noModel: [404, deployment("DeploymentNotFound")],
    keySetting: "upstreams.azure.api_key, or upstreams.azure.base_url or upstreams.azure.resource is wrong"
  },
  foundry: {
    entry: { resource: "house", api_key: secret },
    model: "no-deployment",
    key: [401, azureKey],
    noModel: [404, deployment("DeploymentNotFound")],
    keySetting: "upstreams.foundry.api_key, or upstreams.foundry.base_url or upstreams.foundry.resource is wrong"
  }
}

/** All others speak as OpenAI does. */
const usual = (name: string): Refusals => ({
  entry: key,
  model: "none",
  key: [401, openaiKey],
  list: openaiList,
  keySetting: `upstreams.${name}.api_key`
})

const all = Object.fromEntries(rowNames.map((name) => [name, own[name] ?? usual(name)] as const))

/** Answers as the provider does whose name begins the path: `/key/bedrock/…` with wrong credentials, otherwise without the model. */
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ method, url }) => {
    const [, wrong, name = ""] = new URL(url).pathname.split("/")
    const refusals = all[name]
    if (refusals === undefined) return new Response("nothing here", { status: 404 })
    if (wrong === "key") return Response.json(refusals.key[1], { status: refusals.key[0] })
    if (method === "GET") return Response.json(refusals.list ?? {}, { status: refusals.list === undefined ? 404 : 200 })
    const [status, body] = refusals.noModel ?? [404, { error: { message: "Not found" } }]
    return Response.json(body, { status })
  }
})
const folder = mkdtempSync(join(tmpdir(), "gateway-live-providers-"))
afterAll(async () => {
  await server.stop(true)
  rmSync(folder, { recursive: true })
})

const check = (upstreams: unknown, models: unknown) => {
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models }))
  return runCommand(folder, ["check", "--live"])
}

/** What is said of an upstream. */
const toldOf = (out: string, name: string) =>
  out
    .split("\n\n")
    .filter((block) => block.startsWith(`${name}: `) || block.startsWith(`${name} does not`))
    .join("\n")

const withAll = async (wrong: "key" | "model") => {
  const entries = Object.entries(all)
  const upstreams = entries.map(([name, { entry }]) => [
    name,
    { provider: name, base_url: `http://127.0.0.1:${server.port}/${wrong}/${name}`, ...entry }
  ])
  const models = entries.map(([name, { model }]) => [`of-${name}`, { routes: [{ upstream: name, model }] }])
  return check(Object.fromEntries(upstreams), Object.fromEntries(models))
}

describe("gateway check --live, of every provider", () => {
  let told: Record<"key" | "model", { readonly code: number; readonly out: string; readonly err: string }>
  beforeAll(async () => {
    told = { key: await withAll("key"), model: await withAll("model") }
  })

  it.each(rowNames)("%s: a wrong key", (name) => {
    expect(toldOf(told.key.out, name)).toContain(all[name]?.keySetting)
  })

  // Kling lists tasks alone: a model shows only in a video, which costs money.
  it.each(rowNames.filter((name) => name !== "kling"))("%s: a model that is not there", (name) => {
    expect(toldOf(told.model.out, name)).toContain(`models.of-${name}.routes`)
  })

  it("says no secret", () => {
    const { key, model } = told
    expect([key.code, model.code]).toEqual([1, 1])
    expect(key.out + key.err + model.out + model.err).not.toContain(secret)
  })

  it("names the setting that is in an address without a host", async () => {
    const { out } = await check(
      {
        bedrock: { provider: "bedrock", region: "nowhere-1", auth: aws },
        vertex: { provider: "vertex", region: "nowhere1", project: "house", headers: { authorization: "Bearer x" } },
        azure: { provider: "azure", resource: "no-such-resource-0123456789", api_key: secret }
      },
      {
        nova: { routes: [{ upstream: "bedrock", model: "amazon.nova-pro-v1:0" }] },
        flash: { routes: [{ upstream: "vertex", model: "gemini-3.8-flash" }] },
        mine: { routes: [{ upstream: "azure", model: "mine" }] }
      }
    )
    expect(toldOf(out, "bedrock")).toContain("the host of upstreams.bedrock.region does not resolve")
    expect(toldOf(out, "vertex")).toContain("the host of upstreams.vertex.region does not resolve")
    expect(toldOf(out, "azure")).toContain("the host of upstreams.azure.resource does not resolve")
  })
})
