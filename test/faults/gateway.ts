/**
 * Kills the real gateway (`src/main.ts`, in one file) with SIGKILL at random moments while clients create, cancel and
 * repeat video tasks and async messages; then counts what was lost, stuck, submitted twice, paid twice or never delivered.
 *
 *   bun run test:long faults:gateway [--kills 1000]
 */
import { killGateway } from "./killing.ts"

const at = process.argv.indexOf("--kills")
const kills = at === -1 ? 25 : Number(process.argv[at + 1])
const { counts, endings, mustBeZero, recoveries, seconds, starts, words } = await killGateway(kills)

const quantile = (list: ReadonlyArray<number>, q: number) =>
  Math.round([...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))] ?? 0)

console.log(`\n${kills} kills in ${seconds} s; how the tasks ended`)
console.table(endings)
console.table({
  kills,
  ...counts,
  ...mustBeZero,
  "recovery p50 ms": quantile(recoveries, 0.5),
  "recovery p99 ms": quantile(recoveries, 0.99),
  "recoveries measured": recoveries.length,
  "start p50 ms": quantile(starts, 0.5)
})
for (const word of words.slice(0, 20)) console.log(word)
const broken = Object.entries(mustBeZero).filter(([, count]) => count !== 0)
if (broken.length > 0) console.log(`FAILED: ${broken.map(([what, count]) => `${what}: ${count}`).join(", ")}`)
process.exit(broken.length === 0 ? 0 : 1)
