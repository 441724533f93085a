import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { bedrockKeys, fakeBedrock } from "../../../upstreams/fakes/bedrock.ts"
import { startGateway } from "../../../gatewayHere.ts"
import { callersOf, families } from "../callers.ts"
import type { Family } from "../callers.ts"
import { clientsOf } from "../world.ts"
import type { Cell } from "./Case.ts"
import { outcomeOf } from "./Case.ts"
import { cases } from "./cases.ts"
import { writeSection } from "./page.ts"

/** A gateway in front of Claude by Bedrock's Converse, called with signatures. */
export const startConverse = async () => {
  const bedrock = fakeBedrock()
  const folder = mkdtempSync(join(tmpdir(), "gateway-converse-"))
  const auth = { kind: "aws", access_key_id: bedrockKeys.accessKeyId, secret_access_key: bedrockKeys.secretAccessKey }
  const upstreams = { up: { protocol: "bedrock-converse", base_url: bedrock.url, auth, region: "us-east-1" } }
  const routes = [{ upstream: "up", model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0" }]
  writeFileSync(join(folder, "gateway.yaml"), JSON.stringify({ upstreams, models: { "behind-converse": { routes } } }))
  const gateway = await startGateway({ folder })
  const clients = clientsOf(gateway)
  return {
    cellOf: (family: Family, stream: boolean): Cell => ({
      family,
      // Its signatures are Claude's, which is all that the cases tell protocols apart by here.
      protocol: "anthropic-messages",
      stream,
      caller: callersOf(clients)[family],
      model: () => "behind-converse",
      heard: clients.heard,
      sent: () => spelled(JSON.stringify(bedrock.last().body))
    }),
    dispose: async () => {
      await gateway.dispose()
      await bedrock.stop()
    }
  }
}

/** A Converse request with the words that the cases look for. A document's name has no dot there. */
const spelled = (sent: string): string =>
  sent
    .replaceAll('"name":"plan pdf"', '"name":"plan.pdf"')
    .replaceAll('"format":"pdf"', '"format":"application/pdf"')
    .replaceAll('"status":"error"', '"is_error":true')

/** Outcomes by wish, family and mode. */
export type Outcomes = ReadonlyMap<string, string>

export const placeOf = (name: string, family: Family, stream: boolean): string => [name, family, stream].join()

/** A row for each wish, a column for each family; whole and streamed share a cell where they are alike. */
export const converseTable = (outcomes: Outcomes): string => {
  const cell = (name: string, family: Family) => {
    const [whole = "?", streamed = "?"] = [false, true].map((stream) => outcomes.get(placeOf(name, family, stream)))
    return whole === streamed ? whole : `${whole}; streamed ${streamed}`
  }
  const paths = families.map((family) => `\`/v1/${family === "chat" ? "chat/completions" : family}\``)
  return [
    `| | ${paths.join(" | ")} |`,
    `|---|${families.map(() => "---|").join("")}`,
    ...cases.map(({ name }) => `| ${name} | ${families.map((family) => cell(name, family)).join(" | ")} |`)
  ].join("\n")
}

/** Writes the section of docs/compatibility.md. */
export const writeConverse = async (): Promise<void> => {
  const { cellOf, dispose } = await startConverse()
  const outcomes = new Map<string, string>()
  try {
    for (const family of families) {
      for (const stream of [false, true]) {
        for (const one of cases) {
          outcomes.set(placeOf(one.name, family, stream), await outcomeOf(one, cellOf(family, stream)))
        }
      }
    }
  } finally {
    await dispose()
  }
  writeSection("bedrock-converse", converseTable(outcomes))
}
