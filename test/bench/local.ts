import { resolve } from "node:path"
import { startGateway } from "../e2e/process.ts"
import { load, median } from "./load.ts"
import type { Measured } from "./load.ts"

/**
 * What the gateway's own edge costs, without an upstream: a short synchronous answer of the sandbox against a bare
 * `Bun.serve` that parses and answers the same JSON, in one run. Fails below the floor.
 */
const floor = 0.3
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const seconds = Number(process.env["BENCH_SECONDS"] ?? 3)

const startBare = async () => {
  const child = Bun.spawn([process.execPath, resolve(import.meta.dirname, "bare.ts")], { stdout: "pipe" })
  for await (const chunk of child.stdout) {
    const url = /listens on (\S+)/.exec(new TextDecoder().decode(chunk))?.[1]
    if (url !== undefined) return { url, stop: () => child.kill() }
  }
  throw new Error("the bare server did not start")
}

const body = JSON.stringify({ model: "sandbox-text", max_tokens: 200, messages: [{ role: "user", content: "Hello!" }] })

const bare = await startBare()
const gateway = await startGateway({ env: { GATEWAY_CHECK_ANSWERS: "false" } })
try {
  const measure = (url: string, time: number) =>
    load({
      url: `${url}/v1/messages`,
      body,
      headers: { authorization: `Bearer ${gateway.key}` },
      connections: 32,
      seconds: time
    })
  await measure(bare.url, 1)
  await measure(gateway.url, 2)
  const results: Array<readonly [Measured, Measured]> = []
  for (let round = 0; round < rounds; round++) {
    results.push([await measure(bare.url, seconds), await measure(gateway.url, seconds)])
  }
  const row = (name: string, of: (pair: readonly [Measured, Measured]) => Measured) => {
    const all = results.map(of)
    const perSecond = median(all.map((one) => one.perSecond))
    const errors = all.reduce((sum, one) => sum + one.errors, 0)
    console.log(
      `${name.padEnd(10)} ${perSecond.toFixed(0).padStart(8)} req/s   p50 ${median(all.map((one) => one.p50)).toFixed(2)} ms   p99 ${median(all.map((one) => one.p99)).toFixed(2)} ms   errors ${errors}`
    )
    if (errors > 0) process.exitCode = 1
    return perSecond
  }
  const ratio = row("gateway", ([, one]) => one) / row("bare", ([one]) => one)
  console.log(`ratio      ${ratio.toFixed(2)} (floor ${floor})`)
  if (ratio < floor) process.exitCode = 1
} finally {
  bare.stop()
  await gateway.dispose()
}
