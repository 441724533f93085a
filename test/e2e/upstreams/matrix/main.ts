import { agentsTable } from "../../../agents/places/table.ts"
import type { FakeName } from "../../../upstreams/fakes/fakeUpstream.ts"
import { families } from "../callers.ts"
import { protocols, startWorld, textProtocols } from "../world.ts"
import { withAimock } from "./aimock.ts"
import { outcomeOf } from "./Case.ts"
import { cases } from "./cases.ts"
import { claudePlacesTable } from "./claudePlaces.ts"
import { writeConverse } from "./converse.ts"
import { withLiteLlm } from "./litellm.ts"
import { Results, writeSection } from "./page.ts"
import { scriptedCell } from "./scripted.ts"
import { inFrontOf } from "./servers.ts"
import type { CellOf, Server } from "./servers.ts"

/** Fills a section of docs/compatibility.md with how every case turned out; what failed is printed instead. */
const fill = async <A extends FakeName>(
  section: string,
  protocols: ReadonlyArray<A>,
  cellOf: CellOf<A>,
  title = ""
): Promise<void> => {
  const results = new Results(protocols)
  let failed = 0
  for (const family of families) {
    for (const protocol of protocols) {
      for (const stream of [false, true]) {
        const cell = cellOf(family, protocol, stream)
        for (const one of cases) {
          try {
            results.set(family, protocol, one.name, stream, await outcomeOf(one, cell))
          } catch (error) {
            failed++
            console.error(`${family} to ${protocol}, ${stream ? "streamed" : "whole"}, ${one.name}: ${String(error)}\n`)
          }
        }
      }
    }
  }
  if (failed > 0) throw new Error(`${failed} cells failed; docs/compatibility.md is left as it was`)
  writeSection(section, `${title}${results.tables(cases.map(({ name }) => name))}`)
  console.log(`docs/compatibility.md: ${section}, ${results.size} cells`)
}

const before = (section: string) => async (server: Server, title: string) => {
  const { cellOf, dispose } = await inFrontOf(server)
  await fill(section, protocols, cellOf, `${title}, ${new Date().toISOString().slice(0, 10)}.\n\n`).finally(dispose)
}

const sections: Readonly<Record<string, () => Promise<void>>> = {
  scripted: async () => {
    const world = await startWorld()
    await fill("scripted", textProtocols, (...at) => scriptedCell(world, ...at)).finally(world.dispose)
  },
  litellm: () => withLiteLlm(before("litellm")),
  aimock: () => withAimock(before("aimock")),
  "bedrock-converse": writeConverse,
  "agents-places": async () => writeSection("agents-places", agentsTable()),
  "claude-places": async () => writeSection("claude-places", claudePlacesTable())
}

const [, , wanted = "scripted"] = process.argv
const section = sections[wanted]
if (section === undefined) throw new Error(`one of ${Object.keys(sections).join(", ")}`)
await section()
