import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { engines } from "../sql/engines.ts"
import { runCommand } from "./command.ts"
import { startGateway } from "./process.ts"

const postgres = engines.find(({ name }) => name === "postgres")

describe("gateway db sums", () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-sums-"))
  const scope = Effect.runSync(Scope.make())
  afterAll(async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(folder, { recursive: true, force: true })
  })

  it.skipIf(postgres === undefined)("adds what sums lack beside a gateway, and says what it was", async () => {
    const url = await Effect.runPromise(Scope.extend(postgres?.url ?? Effect.die("none"), scope))
    const gateway = await startGateway({ folder, env: { GATEWAY_DATABASE_URL: url } })
    const sql = new Bun.SQL({ url, max: 1 })
    const at = Date.now()
    const row = { at, request_id: "r", account_id: "default", key_id: "k", model: "m", upstream: "u", price: "{}" }
    const tokens = {
      input_tokens: 1,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      output_tokens: 1,
      reasoning_tokens: 0
    }
    const rest = {
      outcome: "finished",
      estimated: 0,
      searches: 0,
      video_frames: 0,
      upstream_cost_nano_usd: 500_000_000
    }
    try {
      await sql`INSERT INTO usage ${sql({ ...row, ...tokens, ...rest, cost_nano_usd: 1_500_000_000 })}`
      const sums = (...options: ReadonlyArray<string>) =>
        runCommand(folder, ["db", "sums", ...options], { GATEWAY_DATABASE_URL: url })
      const { out } = await sums()
      expect(out.split("\n").map((line) => line.trim().split(/ {2,}/))).toEqual([
        ["SUMS", "INCOMPLETE", "CHARGES ADDED", "UPSTREAMS' COSTS ADDED"],
        ["by hour", "1", "$1.50", "$0.50"],
        ["by day", "1", "$1.50", "$0.50"],
        [""]
      ])
      const hours = await sql`SELECT cost_nano_usd::text AS cost FROM usage_hours WHERE model = 'm'`
      expect(hours[0].cost).toBe("1500000000")
      expect(JSON.parse((await sums("--json")).out)).toEqual([
        { sums: "by hour", incomplete: 0, cost_usd: 0, upstream_cost_usd: 0 },
        { sums: "by day", incomplete: 0, cost_usd: 0, upstream_cost_usd: 0 }
      ])
    } finally {
      await sql.close()
      gateway.signal("SIGTERM")
      await gateway.exited
    }
  })

  it("has nothing to do with SQLite", async () => {
    const { code, err } = await runCommand(folder, ["db", "sums"])
    expect([code, err]).toEqual([expect.any(Number), expect.stringContaining("its sums lack nothing")])
    expect(code).not.toBe(0)
  })
})
