import { expect, it } from "@effect/vitest"
import { startGateway } from "../gatewayHere.ts"

it("readiness tells how long the longest-abandoned task has waited", async () => {
  const gateway = await startGateway()
  try {
    const response = await fetch(`${gateway.url}/readyz`)
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({
      status: "ok",
      oldest_expired_lease_seconds: 0,
      limits: "process",
      files: "ok"
    })
  } finally {
    await gateway.dispose()
  }
})
