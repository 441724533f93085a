/**
 * Three nodes behind a balancer, on one Postgres, one Redis and one bucket, while nodes are killed, stopped and paused, Redis is
 * away, and Postgres is killed again and again; then the logs of all are compared.
 *
 *   bun run test:long cluster [--tasks 5000] [--texts 20000] [--pause 30] [--only kill,stop,redis,pause,postgres]
 */
import { withoutBucket } from "../files/bucketServer.ts"
import { withoutRedis } from "../limits/redisServer.ts"
import { postgresPrograms } from "../sql/postgresServer.ts"
import { kinds } from "./chaos.ts"
import { cluster } from "./cluster.ts"

const flag = (name: string, fallback: number) => {
  const at = process.argv.indexOf(`--${name}`)
  return at === -1 ? fallback : Number(process.argv[at + 1])
}

const only = process.argv.indexOf("--only")
const programs = postgresPrograms()
if (programs === undefined || withoutRedis("test/cluster") || withoutBucket("test/cluster")) {
  console.log(
    "SKIPPED: test/cluster needs Postgres and Redis (Debian's packages `postgresql` and `redis-server`), and moto of PyPI"
  )
  process.exit(0)
}
const found = await cluster(programs, {
  tasks: flag("tasks", 5_000),
  texts: flag("texts", 20_000),
  pauseMs: flag("pause", 30) * 1_000,
  kinds: only === -1 ? kinds : kinds.filter((kind) => process.argv[only + 1]?.split(",").includes(kind)),
  log: (line) => console.log(line)
})

const quantile = (list: ReadonlyArray<number>, q: number) =>
  Math.round([...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * q))] ?? 0)

console.log(`\n${found.seconds} s; how the tasks ended`)
console.table(found.endings)
console.table({
  ...found.disturbances,
  ...found.counts,
  ...found.mustBeZero,
  "recovery p50 ms": quantile(found.recoveries, 0.5),
  "recovery p99 ms": quantile(found.recoveries, 0.99),
  "recoveries measured": found.recoveries.length
})
for (const word of found.words.slice(0, 20)) console.log(word)
const broken = Object.entries(found.mustBeZero).filter(([, count]) => count !== 0)
if (broken.length > 0) console.log(`FAILED: ${broken.map(([what, count]) => `${what}: ${count}`).join(", ")}`)
process.exit(broken.length === 0 ? 0 : 1)
