import { pixel } from "../../upstreams/conversations.ts"
import { writeSection } from "../../e2e/upstreams/matrix/page.ts"
import { install, packageOf } from "../programs.ts"
import { makeFolder, runProgram } from "../run.ts"
import { agents, paper } from "./agents.ts"
import type { Agent } from "./agents.ts"
import { cells } from "./cells.ts"
import type { Cell } from "./cells.ts"
import { keep } from "./results.ts"
import { bigText, longLoopOf, loopOf } from "./loops.ts"
import { ended, makePlayer } from "./script.ts"
import { agentsTable } from "./table.ts"
import { startPlace } from "./world.ts"

/*
 * Each program in a loop of twenty turns before each place, which refuses what the real one refuses:
 *
 *   bun run test:long agents:places [program] [place] [model]
 *
 * `PLACES_LOG=1` prints what the place takes and refuses, and what the program says at its end. Needs npm, python3 and
 * the network for the installation, and nothing but this machine after it.
 */
const [wantedAgent, wantedPlace, wantedModel] = process.argv.slice(2)

/** A conversation of twenty long turns is compacted about so often. */
const mostResumed = 6

const overflows = ({ overflows, summary }: Agent): boolean => summary !== undefined && overflows !== false

const runCell = async (agent: Agent, { context, model, place, readsImages = true }: Cell) => {
  const folder = makeFolder()
  await Bun.write(`${folder.work}/picture.png`, Buffer.from(pixel, "base64"))
  await Bun.write(`${folder.work}/paper.pdf`, paper)
  await Bun.write(`${folder.work}/big.txt`, bigText)
  const tools = agent.tools(folder)
  const steps =
    context === undefined
      ? loopOf(tools, { overflows: overflows(agent), isLong: agent.isLong === true })
      : longLoopOf(tools)
  const turns = steps.filter((step) => step !== "overflow").length
  const player = makePlayer(steps, agent, context !== undefined)
  const world = await startPlace(place, model, player, context === undefined ? {} : { context })
  try {
    const { key, url } = world
    const setup = { key, url, readsImages, ...(context !== undefined && { context }) }
    for (const [path, text] of Object.entries(agent.files?.(setup) ?? {}))
      await Bun.write(`${folder.home}/../${path}`, text)
    const run = (args: ReadonlyArray<string>) =>
      runProgram(agent.program, { folder, args, env: agent.env(setup), limitMs: 300_000 })
    let { code, output } = await run(agent.args)
    for (let again = 0; again < mostResumed && agent.again !== undefined && !output.includes(ended); again++)
      ({ code, output } = await run(agent.again))
    if (process.env["PLACES_LOG"] !== undefined) console.log(world.statuses.join("\n"), output.slice(-3_000))
    const refused = world.refused()
    const { arrived, lost, sent } = world.marks
    for (const one of new Set(refused)) console.log(`        refused: ${one}`)
    for (const one of lost) console.log(`        lost mark: ${JSON.stringify(one)}`)
    const isCompacted = agent.summary === undefined || player.compactions() > 0
    const isEnded = output.includes(ended) && player.turns() === turns && isCompacted
    if (!isEnded) console.log(`        ended with ${code}: ${output.slice(-500)}`)
    return {
      turns: player.turns(),
      refusals: refused.length,
      files: [...world.files].toSorted().join(", "),
      marks: sent === 0 ? null : `${arrived}/${sent}`,
      compactions: player.compactions(),
      isEnded
    }
  } finally {
    await world.dispose()
    folder.dispose()
  }
}

let [passed, failed] = [0, 0]
for (const [name, agent] of Object.entries(agents)) {
  if ((wantedAgent ?? name) !== name) continue
  await install(agent.program)
  for (const cell of cells) {
    if (cell.context !== undefined && !overflows(agent)) continue
    if ((wantedPlace ?? cell.place) !== cell.place || (wantedModel ?? cell.model) !== cell.model) continue
    const began = performance.now()
    const result = await runCell(agent, cell)
    const isSound = result.isEnded && result.refusals === 0
    if (isSound) passed++
    else failed++
    const seconds = ((performance.now() - began) / 1_000).toFixed(0)
    console.log(
      `${isSound ? "ok    " : "not ok"}  ${name} at ${cell.place}, ${cell.model}${cell.context === undefined ? "" : ", the gateway's bound"}: ${JSON.stringify(result)}, ${seconds} s`
    )
    keep({ agent: name, package: packageOf(agent.program), ...cell, ...result })
  }
}
writeSection("agents-places", agentsTable())
console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 && passed > 0 ? 0 : 1)
