import { Schema } from "effect"
import { matches } from "../text/matches.ts"
import type { Caller } from "./Caller.ts"

/** `server/tool`, with `*` for any run of characters in either. */
const ToolPattern = Schema.String.pipe(
  Schema.filter((text) => /^[a-z0-9_*-]{1,64}\/\S{1,128}$/.test(text), {
    message: () => "expected a server and a tool, such as jira/search, jira/* or */get_*",
    description: "a server and a tool, such as jira/search, jira/* or */get_*",
    jsonSchema: { type: "string", pattern: "^[a-z0-9_*-]{1,64}/\\S{1,128}$" }
  })
)

/** A rule of tools: 1 to 200 patterns. */
export const ToolPatterns = Schema.Array(ToolPattern).pipe(Schema.minItems(1), Schema.maxItems(200))

/** The patterns in a text, in which blanks or commas are between them. */
export const patternsIn = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter((one) => one !== "")

/** True if the caller's key and account let it use a tool of a registered server. */
export const mayUseTool = (
  { accountNotTools = [], accountTools = all, notTools = [], tools = all }: Caller,
  server: string,
  tool: string
): boolean => {
  const name = `${server}/${tool}`
  const hits = (pattern: string) => matches(pattern, name)
  return tools.some(hits) && accountTools.some(hits) && !notTools.some(hits) && !accountNotTools.some(hits)
}

const all: ReadonlyArray<string> = ["*"]
