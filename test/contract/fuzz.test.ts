import { expect, it } from "vitest"
import { startGateway } from "../e2e/process.ts"
import { fuzz } from "./fuzzing.ts"

it("answers generated requests, valid and broken, as its own document says", { timeout: 120_000 }, async () => {
  const gateway = await startGateway()
  try {
    const seed = Date.now() % 1_000_000_000
    const { findings, statuses } = await fuzz({ url: gateway.url, key: gateway.key, count: 3_000, seed })
    expect(findings).toEqual([])
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["200", "400", "401", "404"]))
  } finally {
    await gateway.dispose()
  }
})
