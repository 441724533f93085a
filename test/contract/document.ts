import { GatewayApi } from "../../src/Api.ts"
import { docsPages } from "../../src/http/docs.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a document whose shape is what is tested
export type Json = { readonly [key: string]: any }

/** The served OpenAPI document. */
export const readDocument = async (): Promise<Json> => {
  const answer = await docsPages(GatewayApi)["/openapi.json"]?.(new Request("http://gateway/openapi.json"))
  return (await answer?.json()) as Json
}

/** The JSON Schemas of a document's requests and answers. */
export class Schemas {
  readonly document: Json
  constructor(document: Json) {
    this.document = document
  }

  resolve(schema: Json): Json {
    if (typeof schema["$ref"] !== "string") return schema
    return this.resolve(this.document["components"].schemas[schema["$ref"].replace("#/components/schemas/", "")])
  }

  /** The alternatives of a schema, null left out. */
  members(schema: Json): ReadonlyArray<Json> {
    const resolved = this.resolve(schema)
    if (resolved["anyOf"] === undefined) return resolved["type"] === "null" ? [] : [resolved]
    return resolved["anyOf"].flatMap((member: Json) => this.members(member))
  }

  isNullable(schema: Json): boolean {
    const resolved = this.resolve(schema)
    if (resolved["anyOf"] !== undefined) return resolved["anyOf"].some((member: Json) => this.isNullable(member))
    // Without a type anything goes.
    return resolved["type"] === undefined || resolved["type"] === "null" || resolved["type"].includes?.("null") === true
  }

  /** The alternative that a value is meant to be. */
  memberFor(schema: Json, value: unknown): Json | undefined {
    const fitting = this.members(schema).filter((member) => hasType(member, value))
    if (fitting.length < 2 || typeof value !== "object" || value === null) return fitting[0]
    const scored = fitting.map((member) => [this.score(member, value as Json), member] as const)
    return scored.reduce((best, next) => (next[0] > best[0] ? next : best))[1]
  }

  /** How much of an object a schema knows; another `type` is another kind. */
  private score(schema: Json, value: Json): number {
    let score = 0
    for (const [name, field] of Object.entries((schema["properties"] ?? {}) as Json)) {
      if (!(name in value)) continue
      const literals = this.members(field)[0]?.["enum"]
      const pattern = this.members(field)[0]?.["pattern"]
      if (literals !== undefined && !literals.includes(value[name])) return -1
      if (pattern !== undefined && !new RegExp(pattern).test(value[name])) return -1
      score += literals === undefined ? 1 : 10
    }
    return score
  }
}

export const hasType = (schema: Json, value: unknown): boolean => {
  switch (schema["type"]) {
    case undefined:
      return true
    case "integer":
      return Number.isInteger(value)
    case "array":
      return Array.isArray(value)
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value)
    default:
      return typeof value === schema["type"]
  }
}
