import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { takesSystemTurns } from "../../../config/providers/claudePlaces.ts"
import { claudeVersion } from "../../../config/providers/claudeVersion.ts"
import { flatten } from "../schemas.ts"
import { isBlank } from "./blankText.ts"
import { mendMarks } from "./mendMarks.ts"
import { mendTurns, withSystemInFront } from "./mendTurns.ts"
import type { Traits } from "./models.ts"
import { claudeNamed, traitsOf } from "./models.ts"
import { parts } from "./parts.ts"
import { isMidLoop } from "./unsigned.ts"

interface Recipient {
  readonly model: string
  readonly version: number
  readonly traits: Traits
  /** Records the name of what is left out or changed. */
  readonly lost: (name: string) => void
}

type Mend = (body: JsonObject, to: Recipient) => JsonObject

/**
 * A caller's own request as the model takes it at a place that isn't the dialect's own: what a generation of models
 * refuses is left out, and what has two forms gets the one that the model knows. The same object if nothing changes.
 */
export const mendBody = (body: JsonObject, model: string, lost: (name: string) => void): JsonObject => {
  const to: Recipient = { model, version: claudeVersion(model), traits: traitsOf(claudeNamed(model)), lost }
  return mends.reduce((left, mend) => mend(left, to), body)
}

/** Without a field. */
const without = (body: JsonObject, name: string, { lost }: Recipient): JsonObject => {
  if (body[name] === undefined) return body
  lost(name)
  const { [name]: _, ...rest } = body
  return rest
}

const leastBudget = 1_024

/** Thinking in the form of the model's generation. */
const inForm: Mend = (body, to) => {
  const { traits, version } = to
  const thinking = objectAt(body, "thinking")
  const type = textAt(thinking, "type")
  if (type === "enabled" && version >= 4.7) {
    to.lost("thinking.budget_tokens")
    const { budget_tokens: _, ...rest } = thinking ?? {}
    return { ...body, thinking: { ...rest, type: "adaptive" } }
  }
  if (traits.thinking === "none" && (type === "enabled" || type === "adaptive")) return without(body, "thinking", to)
  if (type !== "adaptive" || traits.thinking !== "budget") return body
  const bound = body["max_tokens"]
  const budget = typeof bound === "number" ? Math.floor(bound * 0.8) : 0
  if (budget < leastBudget) return without(body, "thinking", to)
  to.lost("thinking.type")
  return { ...body, thinking: { type: "enabled", budget_tokens: budget } }
}

const isOn = (body: JsonObject): boolean => /^(?:enabled|adaptive)$/.test(textAt(body["thinking"], "type") ?? "")

/**
 * No thinking beside a tool that must be called or in front of a begun answer, nor with a budget in a turn of calls that
 * began without.
 */
const possible: Mend = (body, to) => {
  if (!isOn(body)) return body
  const isForced = /^(?:any|tool)$/.test(textAt(body["tool_choice"], "type") ?? "")
  const isBudget = textAt(body["thinking"], "type") === "enabled"
  const turns = listAt(body, "messages")
  const isBegun = textAt(turns.at(-1), "role") === "assistant"
  return isForced || isBegun || (isBudget && isMidLoop(turns)) ? without(body, "thinking", to) : body
}

/** The newest models can't be kept from thinking at their highest efforts. */
const lessEffort: Mend = (body, { lost, version }) => {
  const output = objectAt(body, "output_config")
  const isHighest = /^(?:xhigh|max)$/.test(textAt(output, "effort") ?? "")
  if (version < 5 || !isHighest || textAt(body["thinking"], "type") !== "disabled") return body
  lost("output_config.effort")
  return { ...body, output_config: { ...output, effort: "high" } }
}

/** The sampling parameters that the model takes, fewer while it thinks. */
const sampling: Mend = (body, to) => {
  const { temperature, top_p } = body
  if (temperature === undefined && top_p === undefined && body["top_k"] === undefined) return body
  const dropped = new Set<string>()
  if (to.traits.sampling === "none") for (const name of ["temperature", "top_p", "top_k"]) dropped.add(name)
  if (to.traits.sampling === "one" && temperature !== undefined && top_p !== undefined) dropped.add("top_p")
  if (isOn(body)) {
    if (temperature !== 1) dropped.add("temperature")
    dropped.add("top_k")
    if (typeof top_p === "number" && top_p < 0.95) dropped.add("top_p")
  }
  return [...dropped].reduce((left, name) => without(left, name, to), body)
}

const stops: Mend = (body, { lost }) => {
  const all = listAt(body, "stop_sequences")
  const left = all.filter((stop) => typeof stop !== "string" || !isBlank(stop))
  if (left.length === all.length) return body
  lost("stop_sequences")
  return { ...body, stop_sequences: left }
}

/** Schemas of tools with an object at their top, without combinations there. */
const schemas: Mend = (body, { lost }) => {
  let isChanged = false
  const tools = listAt(body, "tools").map((tool) => {
    const schema = objectAt(tool, "input_schema")
    if (schema === undefined || !isObject(tool)) return tool
    const { type } = schema
    const typed = type === undefined ? { type: "object", ...schema } : schema
    const flat = flatten(Array.isArray(type) ? { ...schema, type: "object" } : typed)
    if (flat === schema) return tool
    if (flat !== typed) lost("tools[].input_schema")
    isChanged = true
    return { ...tool, input_schema: flat }
  })
  return isChanged ? { ...body, tools } : body
}

const texts: Mend = mendTurns

/** System text between turns as the user's, for models that have no such turns. */
const systemTurns: Mend = (body, { lost, model }) => {
  const { name, without } = parts["messages[].system"]
  const front = withSystemInFront(body)
  const left = takesSystemTurns(model) ? front : without(front)
  if (left !== front && name !== undefined) lost(name)
  return left
}

const marks: Mend = (body, { lost }) => mendMarks(body, lost)

/** In this order: sampling depends on whether it thinks. */
const mends: ReadonlyArray<Mend> = [inForm, possible, lessEffort, sampling, stops, schemas, texts, systemTurns, marks]
