import { parseArgs } from "node:util"
import { runKilled } from "./killed.ts"

/* A batch of many lines whose gateways are killed: `bun run test:long batches --lines 100000 --kills 20 [--database URL]`. */

const { values } = parseArgs({
  options: {
    lines: { type: "string", default: "5000" },
    kills: { type: "string", default: "5" },
    every: { type: "string", default: "5000" },
    database: { type: "string" }
  }
})
const { database } = values
const found = await runKilled({
  env: database === undefined ? {} : { GATEWAY_DATABASE_URL: database },
  lines: Number(values.lines),
  kills: Number(values.kills),
  everyMs: Number(values.every),
  nodes: database === undefined ? 1 : 2
})
process.stdout.write(`${JSON.stringify(found)}\n`)
const { charged, expected, held, results, succeeded } = found
const isGood = charged === expected && held === 0 && results === succeeded && succeeded === Number(values.lines)
process.exit(isGood ? 0 : 1)
