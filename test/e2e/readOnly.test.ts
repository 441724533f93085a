import { describe, expect, it } from "@effect/vitest"
import { postgresPrograms, startPostgres } from "../sql/postgresServer.ts"
import { startGateway } from "../gatewayHere.ts"

const programs = postgresPrograms()

describe.skipIf(programs === undefined)("a gateway whose data directory can't be written", () => {
  it("runs with its data in Postgres and its secret in the environment", async () => {
    const postgres = await startPostgres(programs ?? "")
    const gateway = await startGateway({
      env: {
        GATEWAY_DATABASE_URL: postgres.url,
        GATEWAY_SECRET: "secret-0123456789abcdefghijklmnopqrstuv",
        GATEWAY_DATA_DIRECTORY: "/proc/gateway"
      }
    })
    const response = await fetch(`${gateway.url}/v1/messages`, {
      method: "POST",
      headers: { authorization: `Bearer ${gateway.key}` },
      body: JSON.stringify({ model: "sandbox-text", max_tokens: 20, messages: "Hello!" })
    })
    expect(response.status).toBe(200)
    expect(gateway.output()).toContain("a directory can't be written")
    expect(gateway.output()).not.toContain("internal error")
    await gateway.dispose()
    await postgres.dispose()
  })
})
