import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { request } from "../request.ts"

/* The sandbox tells on command how it served an answer, and the model's price counts that in every family. */

const price = {
  output: 10,
  service_tier: { flex: 0.5 },
  speed: { fast: 2 },
  inference_geo: { us: 1.1 },
  audio: { output: 64 },
  image: { output: 30 },
  per_call: { file_search: 0.0025, shell: 0.03 }
}
let gateway: GatewayHere
let database: Database
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-sandbox-prices-"))
  const models = { priced: { routes: [{ upstream: "sandbox", model: "sandbox-text" }], price } }
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ models }))
  gateway = await startGateway({ folder })
  database = new Database(join(folder, "data/gateway.db"), { readonly: true })
})
afterAll(async () => {
  database.close()
  await gateway.dispose()
})

const asked = {
  "/v1/messages": (content: string) => ({ max_tokens: 500, messages: [{ role: "user", content }] }),
  "/v1/responses": (input: string) => ({ input }),
  "/v1/chat/completions": (content: string) => ({ messages: [{ role: "user", content }] })
}
/** Nano-dollars of 200 tokens of output. */
const plain = 2_000_000

it.each([
  ["tokens=200", plain],
  ["tokens=200 tier=flex", plain / 2],
  ["tokens=200 speed=fast", plain * 2],
  ["tokens=200 geo=us", (plain * 11) / 10],
  ["tokens=200 tier=flex speed=fast geo=us", (plain * 11) / 10],
  ["tokens=200 call=file_search:2 call=shell", plain + 35_000_000],
  ["tokens=200 audio_output=150", 500_000 + 9_600_000],
  ["tokens=200 image_output=50 audio_output=150", 1_500_000 + 9_600_000],
  ["tokens=200 audio_output=1000", 12_800_000]
])("[[sandbox: %s]] costs %d nano-dollars", async (directive, nanoUsd) => {
  for (const [path, body] of Object.entries(asked)) {
    for (const stream of [false, true]) {
      const answer = await request(gateway, path, {
        body: { model: "priced", ...body(`[[sandbox: ${directive}]] Hi`), stream }
      })
      const text = await answer.text()
      expect(answer.status, text).toBe(200)
      const row = database
        .query("SELECT cost_nano_usd FROM usage WHERE request_id = ?")
        .values(answer.headers.get("x-request-id") ?? "")
      expect([path, stream, row]).toEqual([path, stream, [[nanoUsd]]])
      if (directive.includes("tier=") && path !== "/v1/messages") expect(text).toContain('"service_tier":"flex"')
    }
  }
})
