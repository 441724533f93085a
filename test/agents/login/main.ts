import { resolve } from "node:path"
import { postgresPrograms } from "../../sql/postgresServer.ts"
import { install } from "../programs.ts"
import { differences } from "./differences.ts"
import { startOurs, unconfigured } from "./ours.ts"
import { record, recorded } from "./recorded.ts"
import type { Exchange } from "./recorder.ts"
import { startReference } from "./reference.ts"
import { refusals } from "./refusals.ts"
import { stepsAt } from "./scenarios.ts"
import type { Step } from "./scenarios.ts"
import { unconfiguredStep } from "./unconfigured.ts"
import type { SignInServer } from "./server.ts"

/*
 * Claude Code signs in with `/login`, at this gateway and at the one that it brings along (`claude gateway`), in a terminal,
 * with an empty home; then what went over the wire is compared, field by field. Arguments name parts: `refusals` (addresses
 * and certificates that the client refuses), `unconfigured` (a gateway that serves none of the client's models), `ours`, `reference`; `--write` keeps the reference's recording, which the suite
 * compares with. Needs npm and, for the first installation, the network; the reference needs Postgres' programs.
 */
const parts = ["refusals", "unconfigured", "ours", "reference"]
const wanted = process.argv.slice(2)
const isWanted = (part: string) => parts.every((one) => !wanted.includes(one)) || wanted.includes(part)
const programs = postgresPrograms()
let failed = 0
const tell = (line: string, wrong: string | undefined) => {
  if (wrong !== undefined) failed++
  console.log(
    wrong === undefined ? `ok      ${line}` : `not ok  ${line}\n        ${wrong.replaceAll("\n", "\n        ")}`
  )
}

const runSteps = async (of: string, steps: ReadonlyArray<Step>) => {
  for (const { name, run } of steps) {
    const begun = performance.now()
    const wrong = await run().then(() => undefined, String)
    tell(`${of}: ${name} (${((performance.now() - begun) / 1_000).toFixed(1)} s)`, wrong)
  }
}

const play = async (start: () => Promise<SignInServer>): Promise<ReadonlyArray<Exchange>> => {
  const server = await start()
  const { steps, stop } = stepsAt(server)
  try {
    await runSteps(server.name, steps)
    return server.exchanges()
  } finally {
    await stop()
    await server.stop()
  }
}

await install("claude")
const upstream = Bun.spawn([process.execPath, resolve(import.meta.dirname, "..", "upstream", "main.ts")], {
  stdout: "pipe",
  stderr: "inherit"
})
const { value } = await upstream.stdout.getReader().read()
const [url = ""] = new TextDecoder().decode(value).split(" ")
try {
  if (isWanted("refusals")) await runSteps("refuses", refusals)
  if (isWanted("unconfigured")) {
    const server = await startOurs(url, unconfigured)
    await runSteps("unconfigured", [unconfiguredStep(server)]).finally(server.stop)
  }
  const ours = isWanted("ours") ? await play(() => startOurs(url)) : undefined
  if (programs === undefined) console.log("skipped  the reference: Postgres is not installed")
  const reference =
    programs !== undefined && isWanted("reference") ? await play(() => startReference(url, programs)) : undefined
  if (reference !== undefined && wanted.includes("--write")) record(reference)
  if (ours !== undefined) {
    for (const { name, wrong } of differences(ours, reference ?? recorded())) tell(`the same: ${name}`, wrong)
  }
} finally {
  upstream.kill()
}
process.exit(failed === 0 ? 0 : 1)
