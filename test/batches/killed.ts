import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import Anthropic from "@anthropic-ai/sdk"
import { startGateway } from "../e2e/process.ts"
import type { GatewayProcess } from "../e2e/process.ts"
import { line } from "./batchGateway.ts"

const adminKey = "batches-admin-0123456789abcdef"
const secret = "killed-key-0123456789abcdefghijklmn"

const file = {
  models: { paid: { routes: [{ upstream: "sandbox", model: "sandbox-text" }], price: { input: 3, output: 7 } } },
  keys: [{ name: "k", secret, account: "k" }]
}

interface Plan {
  readonly env: Readonly<Record<string, string>>
  readonly lines: number
  readonly kills: number
  /** The time between two kills, in ms. */
  readonly everyMs: number
  /** Processes on one database. */
  readonly nodes: number
}

/** What became of a batch whose gateways were killed. */
export interface Killed {
  readonly succeeded: number
  /** Names with a result. */
  readonly results: number
  /** What was charged, and what each line costs alone, times the lines; in nano-dollars. */
  readonly charged: number
  readonly expected: number
  readonly held: number
  readonly seconds: number
}

/** Runs a batch to its end while its gateways are killed, one after the other, and started again. */
export const runKilled = async ({ env, everyMs, kills, lines, nodes }: Plan): Promise<Killed> => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-killed-"))
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify(file))
  const start = () => startGateway({ folder, env: { ...env, GATEWAY_ADMIN_KEY: adminKey, GATEWAY_LOG: "error" } })
  const gateways: Array<GatewayProcess> = []
  for (let node = 0; node < nodes; node++) gateways.push(await start())
  const urlOf = () => gateways[0]?.url ?? ""
  const admin = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${urlOf()}/admin/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminKey}`, "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    return await answer.json()
  }
  const money = async (): Promise<{ readonly settled: number; readonly held: number }> => {
    const { held, settled } = await admin("GET", "/accounts/k")
    return { settled: settled.nano_usd, held: held.nano_usd }
  }
  const client = () => new Anthropic({ apiKey: secret, baseURL: urlOf(), maxRetries: 5 }).messages
  try {
    await admin("POST", "/accounts/k/credit", { usd: 1_000, note: "test" })
    const one = line("x", "[[sandbox: tokens=20]] Hello!", "paid").params
    await client().create(one)
    let alone = 0
    while (alone === 0) alone = (await money()).settled
    const begun = performance.now()
    const { id } = await client().batches.create({
      requests: Array.from({ length: lines }, (_, index) => ({ custom_id: `n${index}`, params: one }))
    })
    for (let kill = 0; kill < kills; kill++) {
      await Bun.sleep(everyMs * (0.5 + Math.random()))
      const victim = gateways.shift()
      victim?.signal("SIGKILL")
      await victim?.exited
      gateways.push(await start())
    }
    for (;;) {
      const { processing_status } = await client().batches.retrieve(id)
      if (processing_status === "ended") break
      await Bun.sleep(200)
    }
    const seconds = (performance.now() - begun) / 1_000
    const names = new Set<string>()
    let succeeded = 0
    for await (const { custom_id, result } of await client().batches.results(id)) {
      names.add(custom_id)
      if (result.type === "succeeded") succeeded++
    }
    await Bun.sleep(1_000)
    const { held, settled } = await money()
    return { succeeded, results: names.size, charged: settled - alone, expected: alone * lines, held, seconds }
  } finally {
    for (const gateway of gateways) await gateway.dispose()
  }
}
