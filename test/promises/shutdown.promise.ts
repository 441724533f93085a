import { it } from "vitest"
import { startGateway } from "../e2e/process.ts"
import { keeps } from "./keeps.ts"

/** How long a gateway needs to stop, told by SIGTERM while a stream goes on that never ends, or none. */
const stopping = async (drainSeconds: number, stalled: boolean): Promise<number> => {
  const gateway = await startGateway({ env: { GATEWAY_DRAIN_SECONDS: String(drainSeconds) } })
  try {
    const body = { model: "sandbox-text", max_tokens: 200, messages: "[[sandbox: stall]] hi", stream: true }
    const stream = stalled
      ? await fetch(`${gateway.url}/v1/messages`, {
          method: "POST",
          headers: { authorization: `Bearer ${gateway.key}` },
          body: JSON.stringify(body)
        })
      : await fetch(`${gateway.url}/healthz`)
    const began = performance.now()
    gateway.signal("SIGTERM")
    await Promise.all([gateway.exited, stream.text()])
    return performance.now() - began
  } finally {
    await gateway.dispose()
  }
}

it("an idle gateway stops within 3 s", () => keeps("stopping idle", 3_000, () => stopping(20, false)))

it("a gateway stops within 4 s of its deadline, whatever still streams", () =>
  keeps("stopping with a deadline of 1 s", 5_000, () => stopping(1, true)))
