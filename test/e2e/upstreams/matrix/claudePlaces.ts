import { claudePlaces } from "../../../../src/config/providers/claudePlaces.ts"
import type { ClaudePlace, ClaudePlaceName } from "../../../../src/config/providers/claudePlaces.ts"
import { fitToPlace } from "../../../../src/upstreams/protocols/anthropicMessages/fitToPlace.ts"

const places: ReadonlyArray<readonly [ClaudePlaceName, string]> = [
  ["anthropic", "Anthropic, Claude Platform on AWS"],
  ["invoke", "Bedrock"],
  ["mantle", "Mantle"],
  ["vertex", "Vertex"],
  ["foundry", "Foundry"]
]

/** Betas that clients send and only Anthropic and Foundry take. */
const elsewhere = [
  "code-execution-2025-08-25",
  "extended-cache-ttl-2025-04-11",
  "files-api-2025-04-14",
  "mcp-client-2025-11-20",
  "mid-conversation-system-2026-04-07",
  "prompt-caching-scope-2026-01-05",
  "skills-2025-10-02",
  "structured-outputs-2025-12-15",
  "task-budgets-2026-03-13",
  "thinking-token-count-2026-05-13",
  "web-fetch-2025-09-10"
]

/** Models by version, the newest last. */
const models = [3.7, 4.5, 4.6, 4.8].map(
  (version) => [version, `claude-opus-${String(version).replace(".", "-")}`] as const
)

const rows: ReadonlyArray<ClaudePlace> = Object.values(claudePlaces)
const betas = [
  ...new Set([
    ...elsewhere,
    ...rows.flatMap(({ drops = [], renames = {}, takes = {} }) => [
      ...drops,
      ...Object.keys(renames),
      ...Object.keys(takes)
    ])
  ])
].toSorted()

const cell = (name: ClaudePlaceName, beta: string): string => {
  const sent = models.map(([version, model]) => {
    const asked = { body: {}, headers: { "anthropic-beta": beta } }
    const { headers } = fitToPlace(asked, claudePlaces[name], { model, betas: undefined, refused: new Set() })
    return [version, headers?.["anthropic-beta"]] as const
  })
  const taken = sent.filter(([, there]) => there !== undefined)
  const [last, there] = taken.at(-1) ?? []
  if (there === undefined) return "✗"
  const said = there === beta ? "✓" : `≈ \`${there}\``
  return taken.length === sent.length ? said : `${said} up to ${last}`
}

/** What becomes of each beta at each of Claude's places. */
export const claudePlacesTable = (): string =>
  [
    `| | ${places.map(([, title]) => title).join(" | ")} |`,
    `|---|${places.map(() => "---|").join("")}`,
    ...betas.map((beta) => `| \`${beta}\` | ${places.map(([name]) => cell(name, beta)).join(" | ")} |`)
  ].join("\n")
