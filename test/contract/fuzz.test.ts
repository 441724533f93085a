import { expect, it } from "vitest"
import { startGateway } from "../gatewayHere.ts"
import { fuzz } from "./fuzzing.ts"

it("answers generated requests, valid and broken, as its own document says", async () => {
  const gateway = await startGateway()
  try {
    // The same requests each time, so that what fails can be looked at; `bun test/contract/fuzz.ts` draws new ones.
    const seed = 20_260_101
    const { findings, statuses } = await fuzz({ url: gateway.url, key: gateway.key, count: 3_000, seed })
    expect(findings).toEqual([])
    expect(Object.keys(statuses)).toEqual(expect.arrayContaining(["200", "400", "401", "404"]))
  } finally {
    await gateway.dispose()
  }
})
