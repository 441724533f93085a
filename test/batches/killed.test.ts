import { expect, it } from "vitest"
import { describeOnEach, gatewayEnv } from "../sql/engines.ts"
import { runKilled } from "./killed.ts"

describeOnEach("a batch", (engine) => {
  // Processes that are killed: `bun run test:long batches` has the long form.
  it("whose gateways are killed loses no line and charges each once", async () => {
    const nodes = engine.name === "postgres" ? 2 : 1
    const lines = 300
    const env = await gatewayEnv(`killed-${engine.name}`)
    const { charged, expected, held, results, succeeded } = await runKilled({
      env,
      lines,
      kills: 2,
      everyMs: 700,
      nodes
    })
    expect({ charged, held, results, succeeded }).toEqual({
      charged: expected,
      held: 0,
      results: lines,
      succeeded: lines
    })
  }, 180_000)
})
