import { Either } from "effect"
import { isObject, listAt, objectAt, textAt } from "../contract/json/json.ts"
import type { JsonObject } from "../contract/fields.ts"
import { recordOf } from "../contract/json/recordOf.ts"
import { visible } from "../contract/text/visible.ts"
import { shorten } from "../contract/text/shorten.ts"
import type { McpList, McpTool, ToolAnnotations } from "./McpServer.ts"
import { mirroredIn } from "./mirrored.ts"

/** The longest name, in characters (MCP 2026-07-28). */
const longestName = 128
/** The longest description, in characters; a longer one is cut. */
const longestDescription = 4_096
/** The bounds of a schema. */
const schemaBounds = { bytes: 65_536, levels: 32, nodes: 5_000 }
/** The most warnings of a list. */
const mostWarnings = 20

/** The tools of a list's pages. One that breaks a bound or a rule is left out with a warning, the others stay. */
export const readTools = (pages: ReadonlyArray<JsonObject>): McpList => {
  const tools = new Map<string, McpTool>()
  const warnings: Array<string> = []
  const warn = (warning: string) => warnings.length < mostWarnings && warnings.push(warning)
  for (const listed of pages.flatMap((page) => listAt(page, "tools"))) {
    const name = textAt(listed, "name") ?? ""
    const tool = tools.has(name) ? Either.left("another tool has its name") : toolOf(name, listed)
    if (Either.isRight(tool)) tools.set(name, tool.right)
    else warn(`"${shorten(visible(name))}" is left out: ${tool.left}`)
  }
  return { tools: [...tools.values()], warnings }
}

const toolOf = (name: string, listed: unknown): Either.Either<McpTool, string> => {
  if (!isObject(listed) || name === "" || name.length > longestName || /\p{Cc}/u.test(name) || !name.isWellFormed()) {
    return Either.left(`expected a name of at most ${longestName} characters`)
  }
  if (textAt(objectAt(listed, "execution"), "taskSupport") === "required") return Either.left("it runs as a task alone")
  const { inputSchema = { type: "object" } } = listed
  if (!isObject(inputSchema)) return Either.left("its schema is no object")
  const excess = excessIn(inputSchema)
  if (excess !== undefined) return Either.left(excess)
  return Either.map(mirroredIn(inputSchema), (mirrored) => ({
    name,
    description: textAt(listed, "description")?.slice(0, longestDescription),
    inputSchema,
    annotations: annotationsOf(listed["annotations"]),
    mirrored
  }))
}

/** The bound that a schema exceeds. Nothing in it is expanded, so `$ref` only has to stay within it. */
const excessIn = (schema: JsonObject): string | undefined => {
  const open: Array<{ readonly value: unknown; readonly level: number }> = [{ value: schema, level: 1 }]
  let nodes = 0
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { level, value } = at
    if (level > schemaBounds.levels) return `its schema is more than ${schemaBounds.levels} levels deep`
    if (++nodes > schemaBounds.nodes) return `its schema has more than ${schemaBounds.nodes} values`
    if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) continue
    if ("$ref" in value && typeof value.$ref === "string" && !value.$ref.startsWith("#")) {
      return "its schema refers to another document"
    }
    for (const member of Object.values(value)) open.push({ value: member, level: level + 1 })
  }
  const bytes = Buffer.byteLength(JSON.stringify(schema))
  return bytes > schemaBounds.bytes ? `its schema is larger than ${schemaBounds.bytes / 1_024} KiB` : undefined
}

const hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const

const annotationsOf = (listed: unknown): ToolAnnotations => {
  if (!isObject(listed)) return {}
  const title = textAt(listed, "title")?.slice(0, longestName)
  return {
    ...(title !== undefined && { title }),
    ...recordOf<ToolAnnotations>(
      hints.flatMap((hint) => (typeof listed[hint] === "boolean" ? [[hint, listed[hint]] as const] : []))
    )
  }
}
