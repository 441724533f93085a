import { startGateway } from "../e2e/process.ts"
import { fuzz } from "./fuzzing.ts"

/** `bun test/contract/fuzz.ts <count> [seed]`: the long form of `fuzz.test.ts`. */
const count = Number(process.argv[2] ?? 100_000)
const seed = Number(process.argv[3] ?? Date.now() % 1_000_000_000)
const gateway = await startGateway()
const began = performance.now()
const report = await fuzz({
  url: gateway.url,
  key: gateway.key,
  count,
  seed,
  progress: (done) => {
    if (done % 10_000 === 0) console.log(`${done} of ${count}`)
  }
})
for (const { answer, problem, request } of report.findings) console.log(`\n${problem}\n${request}\n→ ${answer}`)
const seconds = (performance.now() - began) / 1_000
console.log(`\n${count} requests from seed ${seed} in ${seconds.toFixed(0)} s:`, report.statuses)
console.log(`${report.findings.length} findings`)
await gateway.dispose()
process.exit(report.findings.length === 0 ? 0 : 1)
