import { existsSync, readFileSync } from "node:fs"
import { startGateway } from "../e2e/process.ts"
import { request } from "../request.ts"

/**
 * `bun test/http/slow.ts [connections]`: what slow clients do to others. Needs `slowhttptest`. Ordinary requests are
 * timed alone and beside each kind of slow client, in turns: a machine that others use too is as busy for both. Fails
 * where one fails, or where the longest wait but for one in a hundred is twice what it is alone.
 */
const connections = Number(process.argv[2] ?? 2_000)
const rounds = 3
const mostTimes = 2
/** How long the slow clients stay, and how long after their start all are there: they come at 500 a second. */
const staysS = 24
const arrivedMs = (connections / 500) * 1_000 + 2_000
const measuredMs = 8_000

if (Bun.which("slowhttptest") === null) {
  console.error("slowhttptest is not installed: nothing was measured (Debian: apt-get install slowhttptest)")
  process.exit(2)
}

const gateway = await startGateway({ env: { GATEWAY_CHECK_ANSWERS: "false" }, toFile: true })

interface Waits {
  readonly waits: ReadonlyArray<number>
  readonly failures: number
}

const measure = async (): Promise<Waits> => {
  const waits: Array<number> = []
  let failures = 0
  const end = performance.now() + measuredMs
  const client = async () => {
    while (performance.now() < end) {
      const began = performance.now()
      const answer = await request(gateway, "/v1/messages", {
        body: '{"model":"sandbox-text","max_tokens":20,"messages":"hi"}'
      }).catch(() => undefined)
      await answer?.text()
      if (answer?.status === 200) waits.push(performance.now() - began)
      else failures++
      await Bun.sleep(5)
    }
  }
  await Promise.all([client(), client(), client(), client()])
  return { waits, failures }
}

const quantile = (all: ReadonlyArray<Waits>, share: number) => {
  const waits = all.flatMap((one) => one.waits).toSorted((a, b) => a - b)
  return waits[Math.floor(waits.length * share)] ?? Number.NaN
}
const told = (all: ReadonlyArray<Waits>) =>
  [0.5, 0.99, 0.9999].map((share) => quantile(all, share).toFixed(1).padStart(7)).join("")
const failuresOf = (all: ReadonlyArray<Waits>) => all.reduce((sum, { failures }) => sum + failures, 0)

const slow = (name: string, ...options: ReadonlyArray<string>) => ({
  name,
  command: ["slowhttptest", "-c", String(connections), "-r", "500", "-l", String(staysS), "-p", "3", ...options],
  beside: new Array<Waits>()
})
const messages = `${gateway.url}/v1/messages`
/** Without a key a body is not waited for. The only header that can be given is written as it is given. */
const withKey = `a=b\r\nAuthorization: Bearer ${gateway.key}`
const attacks = [
  slow("slow headers", "-H", "-i", "5", "-u", messages),
  slow("slow bodies", "-B", "-i", "5", "-s", "8192", "-t", "POST", "-j", withKey, "-u", messages),
  // Not of `/docs`: 2,000 connections times its megabytes are what the system gives all of TCP on this machine.
  slow(
    "slow readers",
    "-X",
    "-w",
    "1",
    "-y",
    "2",
    "-n",
    "5",
    "-z",
    "1",
    "-j",
    withKey,
    "-u",
    `${gateway.url}/v1/models`
  )
]
const alone: Array<Waits> = []

/** How its connections stood at the end, in its own words. */
const stateIn = (output: string) => {
  // oxlint-disable-next-line no-control-regex -- its output is coloured
  const plain = output.replaceAll(/\u001b\[[\d;]*m/g, "")
  const state = [...plain.matchAll(/(pending|connected|error|closed|service available):\s+(\w+)/g)].slice(-5)
  return state.map(([, what, value]) => `${what} ${value}`).join(", ")
}

/** Established connections to a port, as Linux counts them. */
const openConnections = (port: number): number => {
  const local = new RegExp(`^ *\\d+: \\w+:${port.toString(16).toUpperCase().padStart(4, "0")} \\w+:\\w+ 01 `, "gm")
  return existsSync("/proc/net/tcp") ? (readFileSync("/proc/net/tcp", "utf8").match(local) ?? []).length : Number.NaN
}

await measure()
for (let round = 1; round <= rounds; round++) {
  for (const { beside, command, name } of attacks) {
    alone.push(await measure())
    const attack = Bun.spawn([...command], { stdout: "pipe", stderr: "ignore" })
    const output = new Response(attack.stdout).text()
    await Bun.sleep(arrivedMs)
    const open = openConnections(Number(new URL(gateway.url).port))
    beside.push(await measure())
    attack.kill()
    await attack.exited
    // Time for leftover connections to end.
    await Bun.sleep(1_000)
    console.log(`round ${round}, ${name}: ${open} connections open; ${stateIn(await output)}`)
  }
}

console.log(`\n${connections} connections     p50    p99    max, ms   failures   p99 against alone`)
console.log(`${"alone".padEnd(16)}${told(alone)}${String(failuresOf(alone)).padStart(11)}`)
let missed = 0
for (const { beside, name } of attacks) {
  const times = quantile(beside, 0.99) / quantile(alone, 0.99)
  const failures = failuresOf(beside)
  if (failures > 0 || !(times < mostTimes)) missed++
  console.log(`${name.padEnd(16)}${told(beside)}${String(failures).padStart(11)}${times.toFixed(2).padStart(20)}`)
}
await gateway.dispose()
console.log(
  `${attacks.length} kinds of slow clients, ${missed} of them made others fail or wait ${mostTimes} times as long`
)
process.exit(missed === 0 ? 0 : 1)
