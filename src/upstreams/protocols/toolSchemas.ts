import type { JsonObject } from "../../contract/fields.ts"
import type { FunctionTool } from "../../generation/Conversation.ts"
import type { Notes } from "./notes.ts"
import { fitSchema, flatten, isComplete, optionalProperties, withItems } from "./schemas.ts"
import type { SchemaRules } from "./schemas.ts"

/** A tool's schema as the server accepts it. */
interface ToolSchema {
  readonly schema: JsonObject
  readonly isStrict: boolean
}

/** The schemas of one request's tools, in the order in which they are written, because the server counts strict ones. */
export class ToolSchemas {
  #strictTools = 0
  #optional = 0
  readonly #rules: SchemaRules
  readonly #takesStrict: boolean
  readonly #notes: Notes

  constructor(rules: SchemaRules, takesStrict: boolean, notes: Notes) {
    this.#rules = rules
    this.#takesStrict = takesStrict
    this.#notes = notes
  }

  /** A tool without parameters becomes an object without properties; some servers require it. */
  of({ parameters, strict }: FunctionTool): ToolSchema {
    const { type } = parameters
    const given: JsonObject = type === undefined ? { type: "object", properties: {}, ...parameters } : parameters
    // Arguments are an object everywhere, though some libraries write that they may be null.
    const object = Array.isArray(type) ? { ...given, type: "object" } : given
    const flat = this.#rules.combinedTools ? object : flatten(object)
    const whole = this.#rules.needsItems === true ? withItems(flat) : flat
    const isStrict = strict === true && this.#holds(whole)
    if (strict === true && !isStrict) this.#notes.adapt("tools[].strict")
    const { isLoosened, schema } = fitSchema(whole, isStrict ? this.#rules.held : this.#rules.tools)
    if (isLoosened || whole !== given) this.#notes.adapt("tools[].parameters")
    return { schema, isStrict }
  }

  #holds(schema: JsonObject): boolean {
    const { isComplete: complete, mostStrict } = this.#rules
    if (!this.#takesStrict || (complete && !isComplete(schema))) return false
    if (mostStrict === undefined) return true
    const optional = this.#optional + optionalProperties(schema)
    if (this.#strictTools === mostStrict.tools || optional > mostStrict.optional) return false
    this.#strictTools++
    this.#optional = optional
    return true
  }
}
