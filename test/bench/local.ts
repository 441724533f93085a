import { startGateway } from "../e2e/process.ts"
import { load, median } from "./load.ts"
import type { Measured } from "./load.ts"
import { startScript } from "./processes.ts"

/**
 * What the gateway's own edge costs, without an upstream: a short synchronous answer of the sandbox against a bare
 * `Bun.serve` that parses and answers the same JSON, in one run. Fails below the floor.
 */
const floor = 0.3
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const seconds = Number(process.env["BENCH_SECONDS"] ?? 3)

const body = JSON.stringify({ model: "sandbox-text", max_tokens: 200, messages: [{ role: "user", content: "Hello!" }] })

const bare = await startScript("proxy.ts")
const gateway = await startGateway({ env: { GATEWAY_CHECK_ANSWERS: "false" }, toFile: true })
try {
  const headers = { authorization: `Bearer ${gateway.key}` }
  const measure = (url: string, time: number) => load({ url, body, headers, connections: 32, seconds: time })
  const targets = { gateway: `${gateway.url}/v1/messages`, bare: `${bare.url}/echo` }
  // Until the compiler has seen it all.
  await measure(targets.bare, 2)
  await measure(targets.gateway, 5)
  const results: Record<keyof typeof targets, Array<Measured>> = { gateway: [], bare: [] }
  for (let round = 0; round < rounds; round++) {
    results.bare.push(await measure(targets.bare, seconds))
    results.gateway.push(await measure(targets.gateway, seconds))
  }
  const row = (name: keyof typeof targets) => {
    const perSecond = median(results[name].map((one) => one.perSecond))
    const errors = results[name].reduce((sum, one) => sum + one.errors, 0)
    const [p50, p99] = (["p50", "p99"] as const).map((p) => median(results[name].map((one) => one[p])).toFixed(2))
    console.log(
      `${name.padEnd(8)} ${perSecond.toFixed(0).padStart(7)} req/s  p50 ${p50} ms  p99 ${p99} ms  errors ${errors}`
    )
    if (errors > 0) process.exitCode = 1
    return perSecond
  }
  const ratio = row("gateway") / row("bare")
  console.log(`ratio    ${ratio.toFixed(2)} (floor ${floor})`)
  if (ratio < floor) process.exitCode = 1
} finally {
  bare.stop()
  await gateway.dispose()
}
