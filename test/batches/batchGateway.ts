import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import OpenAI from "openai"
import { startGateway } from "../gatewayHere.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was answered
type Json = any

const adminKey = "batches-admin-0123456789abcdef"

const secretOf = (name: string) => `${name}-key-0123456789abcdefghijklmn`

/** Keys and their accounts; `paid` has a price, `slow` a limit. */
const file = {
  models: {
    paid: { routes: [{ upstream: "sandbox", model: "sandbox-text" }], price: { input: 3, output: 7 } },
    vectors: { routes: [{ upstream: "sandbox", model: "sandbox-embed" }], price: { input: 2 } }
  },
  keys: ["one", "two", "limited", "single", "blocked", "revoked", "stopped", "poor", "bounded"].map((name) => ({
    name,
    secret: secretOf(name),
    account: name,
    ...(name === "limited" && { limits: { concurrent_requests: 1 } }),
    ...(name === "single" && { limits: { concurrent_tasks: 1 } }),
    ...(name === "bounded" && { budgets: [{ requests: 2, per: "day" }] })
  }))
}

/** A gateway with the clients of its accounts, and the operator's API. */
export const startBatches = async (env: Readonly<Record<string, string>>, more: object = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-batches-"))
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ ...file, ...more }))
  const gateway = await startGateway({ folder, env: { ...env, GATEWAY_ADMIN_KEY: adminKey } })
  const admin = async (method: string, path: string, body?: object): Promise<Json> => {
    const answer = await fetch(`${gateway.url}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    return { status: answer.status, ...(await answer.json()) }
  }
  return {
    ...gateway,
    admin,
    secretOf,
    anthropic: (name: string) => new Anthropic({ apiKey: secretOf(name), baseURL: gateway.url, maxRetries: 0 }),
    openai: (name: string) => new OpenAI({ apiKey: secretOf(name), baseURL: `${gateway.url}/v1`, maxRetries: 0 })
  }
}

export type BatchGateway = Awaited<ReturnType<typeof startBatches>>

/** A request of a batch. */
export const line = (custom_id: string, text: string, model = "sandbox-text") => ({
  custom_id,
  params: { model, max_tokens: 1_000, messages: [{ role: "user" as const, content: text }] }
})

/** The batch once it has ended. */
export const endOf = async (client: Anthropic, id: string): Promise<Anthropic.Messages.MessageBatch> => {
  for (;;) {
    const batch = await client.messages.batches.retrieve(id)
    if (batch.processing_status === "ended") return batch
    await Bun.sleep(50)
  }
}

/** Its results by their names. */
export const resultsOf = async (client: Anthropic, id: string): Promise<Json> => {
  const results: Json = {}
  for await (const { custom_id, result } of await client.messages.batches.results(id)) results[custom_id] = result
  return results
}
