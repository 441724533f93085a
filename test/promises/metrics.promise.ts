import { it } from "vitest"
import { makeMetrics, requestCounter } from "../../src/telemetry/Metrics.ts"
import { keeps } from "./keeps.ts"

it("the metrics of a request and of a generation cost a microsecond at most", () => {
  const metrics = makeMetrics()
  const count = requestCounter(metrics, "POST /v1/messages")
  return keeps("counting 200,000 requests and generations", 200, () => {
    const began = performance.now()
    for (let i = 0; i < 200_000; i++) {
      count(200, i % 100)
      metrics.generations.of("some-model", "some-upstream", "finished").add(1)
    }
    return performance.now() - began
  })
})
