import { Schema } from "effect"
import { matches } from "../text/matches.ts"
import type { Caller } from "./Caller.ts"

/** True for `server/tool`, with `*` for any run of characters in either. */
export const isToolPattern = (text: string): boolean => /^[a-z0-9_*-]{1,64}\/\S{1,128}$/.test(text)

const ToolPattern = Schema.String.pipe(
  Schema.filter(isToolPattern, {
    message: () => "expected a server and a tool, such as jira/search, jira/* or */get_*",
    description: "a server and a tool, such as jira/search, jira/* or */get_*",
    jsonSchema: { type: "string", pattern: "^[a-z0-9_*-]{1,64}/\\S{1,128}$" }
  })
)

/** A rule of tools: 1 to 200 patterns. */
export const ToolPatterns = Schema.Array(ToolPattern).pipe(Schema.minItems(1), Schema.maxItems(200))

/** The patterns in a text, in which blanks or commas are between them. */
export const patternsIn = (text: string): ReadonlyArray<string> => text.split(/[\s,]+/).filter((one) => one !== "")

/** The rules of a key and its account. */
export type ToolRules = Pick<Caller, "accountNotTools" | "accountTools" | "notTools" | "tools">

interface Pattern {
  readonly server: string
  readonly tool: string
}

/** Each part by itself: a tool's name is its server's choice, and may have a `/`. */
const partsOf = (pattern: string): Pattern => {
  const cut = pattern.indexOf("/")
  return { server: pattern.slice(0, cut), tool: pattern.slice(cut + 1) }
}

/** True if no rule of the caller's key and account is against what `hits` finds. */
const allows = (
  { accountNotTools = [], accountTools = all, notTools = [], tools = all }: ToolRules,
  hits: (pattern: Pattern) => boolean,
  isDenied = hits
): boolean =>
  [tools, accountTools].every((rule) => rule.some((one) => hits(partsOf(one)))) &&
  [notTools, accountNotTools].every((rule) => !rule.some((one) => isDenied(partsOf(one))))

/** True if the caller's key and account let it use a tool of a server. */
export const mayUseTool = (rules: ToolRules, server: string, tool: string): boolean =>
  allows(rules, (pattern) => matches(pattern.server, server) && matches(pattern.tool, tool))

/** False if the caller's key and account let it use no tool of a server, whatever it has. */
export const mayUseServer = (rules: ToolRules, server: string): boolean =>
  allows(
    rules,
    (pattern) => matches(pattern.server, server),
    (pattern) => matches(pattern.server, server) && pattern.tool === "*"
  )

const all: ReadonlyArray<string> = ["*/*"]
