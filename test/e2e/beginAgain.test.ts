import { readFileSync } from "node:fs"
import { afterAll, describe, expect, it } from "vitest"
import { forRuntime } from "../../src/commands/beginAgain.ts"
import { startGateway } from "./process.ts"
import type { GatewayProcess } from "./process.ts"

const started: Array<GatewayProcess> = []
afterAll(() => Promise.all(started.map(({ dispose }) => dispose())))

/** The environment of a gateway that serves, by name. */
const environmentOf = async (env: Readonly<Record<string, string>>) => {
  const gateway = await startGateway({ env })
  started.push(gateway)
  const pairs = readFileSync(`/proc/${gateway.pid}/environ`, "utf8").split("\0").filter(Boolean)
  return new Map(pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)] as const))
}

describe("what the runtime reads before our code runs", () => {
  // A newer release: measure it (docs/lab-notes.md, "Code that is compiled once"), then name it in `beginAgain.ts`.
  it("has the engine's option in the release that is used here, and in no other", () => {
    expect(Object.keys(forRuntime(Bun.version))).toEqual([
      "BUN_CONFIG_MAX_HTTP_REQUESTS",
      "BUN_JSC_codeBlockAgingLeaseMultiplier"
    ])
    expect(Object.keys(forRuntime("0.0.0"))).toEqual(["BUN_CONFIG_MAX_HTTP_REQUESTS"])
  })

  it("is set in the process that serves", async () => {
    const environment = await environmentOf({})
    expect(environment.get("BUN_CONFIG_MAX_HTTP_REQUESTS")).toBe("65535")
    expect(environment.get("BUN_JSC_codeBlockAgingLeaseMultiplier")).toBe("60")
  })

  it("stands as the environment has it", async () => {
    const environment = await environmentOf({ BUN_CONFIG_MAX_HTTP_REQUESTS: "300" })
    expect(environment.get("BUN_CONFIG_MAX_HTTP_REQUESTS")).toBe("300")
    expect(environment.get("BUN_JSC_codeBlockAgingLeaseMultiplier")).toBe("60")
  })
})
