import { it } from "vitest"
import { noUsage } from "../../src/generation/GenerationEvent.ts"
import { generationMetrics } from "../../src/dispatch/generationMetrics.ts"
import { makeMetrics, requestCounter } from "../../src/telemetry/Metrics.ts"
import { keeps } from "./keeps.ts"

it("the metrics of a request and of a generation cost a microsecond at most", () => {
  const metrics = makeMetrics()
  const count = requestCounter(metrics, "POST /v1/messages")
  const generations = generationMetrics(metrics)
  const begunAt = performance.now()
  const one = { operation: "chat", model: "some-model", provider: "some-provider", begunAt, stream: true } as const
  const used = { ...noUsage, inputTokens: 100, outputTokens: 20 }
  return keeps("counting 200,000 requests and generations", 200, () => {
    const began = performance.now()
    for (let i = 0; i < 200_000; i++) {
      count(200, i % 100)
      generations.begun(true)
      generations.answers(one)
      generations.over(one, undefined, used)
    }
    return performance.now() - began
  })
})
