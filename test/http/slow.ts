import { startGateway } from "../e2e/process.ts"

/**
 * `bun test/http/slow.ts [connections]`: what slow clients do to others. Needs `slowhttptest`. Prints the latency of
 * ordinary requests without and beside each kind of slow client.
 */
const connections = process.argv[2] ?? "2000"
const seconds = 20
const gateway = await startGateway({ env: { GATEWAY_CHECK_ANSWERS: "false" } })

const percentiles = async (forMs: number) => {
  const taken: Array<number> = []
  let failures = 0
  const end = performance.now() + forMs
  const client = async () => {
    while (performance.now() < end) {
      const began = performance.now()
      const answer = await fetch(`${gateway.url}/v1/messages`, {
        method: "POST",
        headers: { authorization: `Bearer ${gateway.key}` },
        body: '{"model":"sandbox-text","max_tokens":20,"messages":"hi"}'
      }).catch(() => undefined)
      await answer?.text()
      if (answer?.status === 200) taken.push(performance.now() - began)
      else failures++
      await Bun.sleep(5)
    }
  }
  await Promise.all([client(), client(), client(), client()])
  taken.sort((a, b) => a - b)
  const at = (share: number) => (taken[Math.floor(taken.length * share)] ?? Number.NaN).toFixed(1)
  return { requests: taken.length, failures, p50: at(0.5), p99: at(0.99), max: at(0.9999) }
}

const slow = (name: string, ...options: ReadonlyArray<string>) => ({
  name,
  command: ["slowhttptest", "-c", connections, "-r", "500", "-l", String(seconds), "-p", "3", ...options]
})
const messages = `${gateway.url}/v1/messages`
const attacks = [
  slow("slow headers", "-H", "-i", "5", "-u", messages),
  slow("slow bodies", "-B", "-i", "5", "-s", "8192", "-t", "POST", "-u", messages),
  slow("slow readers", "-X", "-w", "1", "-y", "2", "-n", "5", "-z", "1", "-k", "3", "-u", `${gateway.url}/docs`)
]

await percentiles(3_000)
console.log("alone          ", await percentiles(8_000))
for (const { command, name } of attacks) {
  const attack = Bun.spawn([...command], { stdout: "pipe", stderr: "ignore" })
  const output = new Response(attack.stdout).text()
  await Bun.sleep(6_000)
  console.log(name.padEnd(15), await percentiles(8_000))
  await attack.exited
  // oxlint-disable-next-line no-control-regex -- its output is coloured
  const plain = (await output).replaceAll(/\u001b\[[\d;]*m/g, "")
  const state = [...plain.matchAll(/(pending|connected|error|closed|service available):\s+(\w+)/g)].slice(-5)
  console.log("".padEnd(15), state.map(([, what, value]) => `${what} ${value}`).join(", "))
}
await percentiles(3_000)
console.log("alone again    ", await percentiles(8_000))
await gateway.dispose()
process.exit(0)
