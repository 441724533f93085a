import { Option, SchemaAST as AST } from "effect"
import type { Schema } from "effect"
import { DatabaseSection } from "../../src/config/databaseSettings.ts"
import { GatewayFile } from "../../src/config/GatewayFile.ts"
import { AdminKey } from "../../src/config/sections/AdminKey.ts"
import { Sentinel } from "../../src/config/sections/Redis.ts"
import { Alerts } from "../../src/config/sections/Alerts.ts"
import { Files } from "../../src/config/sections/Files.ts"
import { Absent, InFile } from "../../src/config/sections/fields.ts"
import { Account, DeclaredKey } from "../../src/config/sections/Key.ts"
import { AccountClaim, JwtIssuer } from "../../src/config/sections/JwtIssuer.ts"
import { Log } from "../../src/config/sections/Log.ts"
import { Telemetry } from "../../src/config/sections/Telemetry.ts"
import { Limits, Model, Price, Route, UnfinishedLimits } from "../../src/config/sections/Model.ts"
import { Prices } from "../../src/config/sections/Prices.ts"
import { Retention } from "../../src/config/sections/Retention.ts"
import { Guardrail } from "../../src/config/sections/Guardrail.ts"
import { McpServer } from "../../src/config/sections/Mcp.ts"
import { Search } from "../../src/config/sections/Search.ts"
import { Server, ServerAdmin } from "../../src/config/sections/Server.ts"
import { OidcProvider, RoleRule, SignIn } from "../../src/config/sections/SignIn.ts"
import { Upstream } from "../../src/config/sections/Upstream.ts"
import { VideoBounds } from "../../src/config/sections/Video.ts"
import { Variables } from "../../src/config/variables.ts"

interface Row {
  readonly name: string
  readonly value: string
  readonly description: string
  readonly absent: string
  readonly inFile: string
}

/** The fields of a section, as their Schema has them. */
const rowsOf = (section: { readonly ast: AST.AST }): ReadonlyArray<Row> => {
  const literal = AST.isRefinement(section.ast) ? section.ast.from : section.ast
  if (!AST.isTypeLiteral(literal)) throw new Error("it has no fields")
  return literal.propertySignatures.map(({ annotations, isOptional, name, type }) => {
    const said = (id: symbol) => (typeof annotations[id] === "string" ? annotations[id] : "")
    return {
      name: String(name),
      value: valueOf(type),
      description: said(AST.DescriptionAnnotationId),
      absent: isOptional ? said(Absent) : "is needed",
      inFile: said(InFile)
    }
  })
}

/** What may be written there, in words. */
const valueOf = (ast: AST.AST): string => {
  switch (ast._tag) {
    case "Literal":
      return `\`${String(ast.literal)}\``
    case "StringKeyword":
      return "text"
    case "NumberKeyword":
      return "number"
    case "BooleanKeyword":
      return "`true`, `false`"
    case "Refinement":
      return refined(ast)
    // Secrets, and what the environment writes as text.
    case "Transformation":
      return AST.isDeclaration(ast.to) ? "secret" : valueOf(ast.to)
    case "Declaration":
      return "secret"
    case "TupleType":
      return `list of ${inList(valueOf(ast.rest[0]?.type ?? ast))}`
    case "TypeLiteral":
      return "mapping"
    case "Union":
      return valuesOf(ast.types)
    default:
      throw new Error(`${ast._tag} has no words yet`)
  }
}

const valuesOf = (types: ReadonlyArray<AST.AST>): string =>
  [...new Set(types.filter((type) => !AST.isUndefinedKeyword(type)).map(valueOf))].join(", ")

const inList = (value: string) => (value === "text" ? "texts" : value === "mapping" ? "mappings" : value)

const refined = (ast: AST.Refinement): string => {
  const bounds = boundsOf(ast)
  const base = valueOf(ast.from)
  if (base !== "number" && base !== "whole number") return base
  const kind = bounds.type === "integer" ? "whole number" : base
  const { exclusiveMinimum, maximum, minimum } = bounds
  if (minimum !== undefined && maximum !== undefined) return `${kind}, ${minimum} to ${maximum}`
  if (exclusiveMinimum === 0) return kind === "whole number" ? "whole number, 1 or more" : "number above 0"
  return minimum === 0 ? `${kind}, 0 or more` : kind
}

interface Bounds {
  readonly type?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly exclusiveMinimum?: number
}

const boundsOf = (ast: AST.Refinement): Bounds => Option.getOrElse(AST.getJSONSchemaAnnotation(ast), () => ({}))

const cell = (text: string) => text.replaceAll("|", "\\|")

const fields = (section: { readonly ast: AST.AST }): string =>
  [
    "| field | | where left out | |",
    "|---|---|---|---|",
    ...rowsOf(section).map(
      ({ absent, description, name, value }) =>
        `| \`${name}\` | ${cell(value)} | ${cell(absent)} | ${cell(description)} |`
    )
  ].join("\n")

const variables = [
  "| variable | in the file | where left out | |",
  "|---|---|---|---|",
  ...rowsOf(Variables).map(
    ({ absent, description, inFile, name }) =>
      `| \`${name}\` | ${inFile === "" ? "" : `\`${inFile}\``} | ${cell(absent)} | ${cell(description)} |`
  )
].join("\n")

const sections: Readonly<Record<string, Schema.Schema.Any>> = {
  "gateway.yaml": GatewayFile,
  server: Server,
  "server.admin": ServerAdmin,
  database: DatabaseSection,
  upstreams: Upstream,
  models: Model,
  routes: Route,
  video: VideoBounds,
  price: Price,
  limits: Limits,
  unfinished: UnfinishedLimits,
  keys: DeclaredKey,
  accounts: Account,
  "admin keys": AdminKey,
  "sign in": SignIn,
  provider: OidcProvider,
  "role of people": RoleRule,
  "issuer of tokens": JwtIssuer,
  "account of tokens": AccountClaim,
  alerts: Alerts,
  sentinel: Sentinel,
  prices: Prices,
  search: Search,
  "mcp servers": McpServer,
  guardrails: Guardrail,
  files: Files,
  retention: Retention,
  log: Log,
  telemetry: Telemetry
}

/** The blocks of docs/configuration.md, by name: a table of each section's fields, and that of the variables. */
export const configurationBlocks: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(sections).map(([name, section]) => [`fields: ${name}`, fields(section)])),
  variables
}

/** Fields and variables of which nothing is said. */
export const undescribed: ReadonlyArray<string> = Object.entries({ ...sections, variables: Variables }).flatMap(
  ([name, section]) => rowsOf(section).flatMap((row) => (row.description === "" ? [`${name}: ${row.name}`] : []))
)

/** Fields of the file that variables are said to win over. */
export const fieldsOfVariables: ReadonlyArray<string> = rowsOf(Variables).flatMap(({ inFile }) =>
  inFile === "" ? [] : [inFile]
)

/** What the page says of a field that is left out: of `server.port`, or of a field of the file itself (`redis.url` too). */
export const absentOf = (path: string): string | undefined => {
  const [section = "", name = ""] = path.replace("gateway.yaml.", "gateway.yaml/").split(/[./](?=[^./]*$)/)
  const own = sections[section]
  if (own !== undefined) return rowsOf(own).find((row) => row.name === name)?.absent
  return rowsOf(GatewayFile).find((row) => row.name === section)?.absent
}
