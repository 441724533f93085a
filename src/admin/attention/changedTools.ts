import { visible } from "../../contract/text/visible.ts"
import type { SeenChange } from "../../mcp/ServerStates.ts"
import { problem, utcText } from "./Problem.ts"
import type { Problem } from "./Problem.ts"

/** The most characters of an old or new text in a sentence. */
const mostShown = 160

/** Tools whose text for models has changed: their servers may have turned against those who call them. */
export const changedTools = (changes: ReadonlyArray<SeenChange>): ReadonlyArray<Problem> =>
  changes.map((change) => {
    const { after, atMs, parts, server, tool } = change
    return problem({
      what: "tools",
      id: server,
      message: `${server}: the ${parts.join(" and the ")} of ${visible(tool)} changed at ${utcText(atMs)}${wordsOf(change)}`,
      action: `Read both with \`gateway tools ${server}\` or on the page; leave the tool out with \`not_tools\` of mcp.servers.${server} if it asks for what it should not.`,
      page: `tools/${server}`,
      sinceMs: atMs,
      // All processes give one change one name, so that it alerts once; the next change has another name.
      state: `tools_changed ${tool} ${Bun.hash(JSON.stringify(after)).toString(36)}`
    })
  })

const wordsOf = ({ after, before, parts }: SeenChange): string => {
  const schemas = `: from ${shown(JSON.stringify(before.inputSchema))} to ${shown(JSON.stringify(after.inputSchema))}`
  return parts.includes("description")
    ? `: from ${quoted(before.description)} to ${quoted(after.description)}`
    : schemas
}

const quoted = (text: string | undefined): string => (text === undefined ? "none" : `"${shown(text)}"`)

const shown = (text: string): string => {
  const line = visible(text)
  return line.length > mostShown ? `${line.slice(0, mostShown - 1)}…` : line
}
