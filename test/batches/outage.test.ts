import { Database } from "bun:sqlite"
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"
import { endOf, line, resultsOf, startBatches } from "./batchGateway.ts"
import type { BatchGateway } from "./batchGateway.ts"

const lines = 100
const outages = 2

/** Runs a batch to its end while its database goes away and comes back. */
const run = async (gateway: BatchGateway, outage: () => Promise<unknown>) => {
  const account = async () => {
    const { held, settled } = await gateway.admin("GET", "/accounts/one")
    return { held: held.nano_usd, settled: settled.nano_usd }
  }
  await gateway.admin("POST", "/accounts/one/credit", { usd: 100, note: "test" })
  const client = gateway.anthropic("one")
  const one = line("x", "[[sandbox: tokens=20 delay=100ms]] Hello!", "paid").params
  await client.messages.create(one)
  await expect.poll(async () => (await account()).settled).toBeGreaterThan(0)
  const { settled: alone } = await account()
  const { id } = await client.messages.batches.create({
    requests: Array.from({ length: lines }, (_, n) => ({ custom_id: `n${n}`, params: one }))
  })
  for (let n = 1; n <= outages; n++) {
    // In the middle of it.
    const most = alone * (1 + (n * lines) / 4)
    await expect.poll(async () => (await account()).settled, { timeout: 60_000 }).toBeGreaterThan(most)
    await outage()
  }
  // Its client and operator meet the outage too, until it is over.
  await expect.poll(async () => (await gateway.admin("GET", "/accounts/one")).status, { timeout: 60_000 }).toBe(200)
  expect((await endOf(client, id)).request_counts).toMatchObject({ succeeded: lines, errored: 0 })
  const results = Object.values(await resultsOf(client, id))
  expect(results).toHaveLength(lines)
  await expect.poll(account, { timeout: 20_000 }).toEqual({ held: 0, settled: alone * (1 + lines) })
}

describe("a batch whose database goes away", () => {
  const programs = postgresPrograms()
  it.skipIf(programs === undefined)(
    "loses no line, and charges each once, on Postgres",
    async () => {
      if (programs === undefined) return
      const server = await startPostgres(programs)
      const gateway = await startBatches({ GATEWAY_DATABASE_URL: server.url })
      const hows = ["kill", "fast"] as const
      let n = 0
      try {
        await run(gateway, async () => {
          await server.stop(hows[n++ % 2])
          await Bun.sleep(2_000)
          await server.start()
        })
      } finally {
        await gateway.dispose()
        await server.dispose()
      }
    },
    180_000
  )

  it("loses no line, and charges each once, on SQLite", async () => {
    const gateway = await startBatches({})
    try {
      await run(gateway, async () => {
        // Another program keeps it locked, for longer than a statement waits.
        const database = new Database(join(gateway.folder, "data", "gateway.db"))
        database.exec("PRAGMA busy_timeout = 30000; BEGIN IMMEDIATE")
        await Bun.sleep(6_500)
        database.close()
      })
    } finally {
      await gateway.dispose()
    }
  }, 180_000)
})

it("a batch whose file storage goes away keeps its answers until they can be stored", async () => {
  const folder = join(mkdtempSync(join(tmpdir(), "gateway-batches-")), "files")
  const gateway = await startBatches({}, { files: folder })
  try {
    await gateway.admin("POST", "/accounts/one/credit", { usd: 100, note: "test" })
    const client = gateway.openai("one")
    const body = { model: "paid", messages: [{ role: "user", content: "[[sandbox: tokens=20 delay=2s]] Hello!" }] }
    const text = Array.from({ length: 20 }, (_, n) =>
      JSON.stringify({ custom_id: `n${n}`, method: "POST", url: "/v1/chat/completions", body })
    ).join("\n")
    const { id: input_file_id } = await client.files.create({ file: new File([text], "in.jsonl"), purpose: "batch" })
    const { id } = await client.batches.create({
      input_file_id,
      endpoint: "/v1/chat/completions",
      completion_window: "24h"
    })
    const batch = () => client.batches.retrieve(id)
    await expect.poll(async () => (await batch()).status, { timeout: 20_000 }).toBe("in_progress")
    renameSync(folder, `${folder}-away`)
    writeFileSync(folder, "")
    await expect
      .poll(async () => (await batch()).request_counts, { timeout: 30_000 })
      .toEqual({ total: 20, completed: 20, failed: 0 })
    const { settled } = await gateway.admin("GET", "/accounts/one")
    await expect.poll(async () => (await batch()).status, { timeout: 20_000 }).toBe("finalizing")
    rmSync(folder)
    renameSync(`${folder}-away`, folder)
    await expect.poll(async () => (await batch()).status, { timeout: 60_000 }).toBe("completed")
    const { error_file_id, output_file_id } = await batch()
    const output = await (await client.files.content(output_file_id ?? "")).text()
    expect([output.trimEnd().split("\n").length, error_file_id ?? null]).toEqual([20, null])
    expect(await gateway.admin("GET", "/accounts/one")).toMatchObject({ settled, held: { nano_usd: 0 } })
  } finally {
    await gateway.dispose()
  }
}, 120_000)
