import type { JsonObject } from "../../contract/fields.ts"
import type { Conversation, CustomTool } from "../../generation/Conversation.ts"
import { isObject, parseJson, textAt } from "../../contract/json/json.ts"
import type { Notes } from "./notes.ts"
import type { ThinkTag } from "./openaiChat/think.ts"

/** Translates names in an upstream's answer back to the caller's. */
export interface Back {
  /** The upstream's name for a caller's tool. */
  readonly upstreamName: (name: string) => string
  /** The caller's name for an upstream's tool. */
  readonly callerName: (name: string) => string
  /** True if it is the name of one of the request's tools, and not the beginning of another's. */
  readonly isWholeName: (upstreamName: string) => boolean
  /** True if the caller's tool takes free text, which dialects without such tools wrap into `{"input": …}`. */
  readonly isCustom: (callerName: string) => boolean
  /** True if the call is one of such a tool. */
  readonly isCustomCall: (callId: string) => boolean
  /** The upstream's name of the tool whose arguments are the answer's text; undefined if there is none. */
  readonly answerTool: string | undefined
  /** The tag of reasoning that the model writes into its texts; absent if it writes none. */
  readonly thinkTag?: ThinkTag | undefined
}

const legal = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/

/**
 * Gives every tool a name that all upstreams accept: illegal characters (the dot of a namespace, a digit in front)
 * and long names are replaced, uniquely.
 */
export const backOf = ({ items, tools }: Conversation, answerTool?: string): Back => {
  const names = tools.map((tool) => tool.name)
  const custom = new Set(tools.flatMap((tool) => (tool.type === "custom" ? [tool.name] : [])))
  const customCalls = new Set<string>()
  for (const item of items) {
    if (item.type !== "tool-call") continue
    names.push(item.name)
    if (item.kind === "custom") customCalls.add(item.callId)
  }
  const { toCaller, toUpstream } = mended(names)
  const upstreamName = (name: string) => toUpstream.get(name) ?? name
  let whole: ReadonlySet<string> | undefined
  return {
    upstreamName,
    callerName: (name) => toCaller.get(name) ?? name,
    isWholeName: (name) => (whole ??= wholeNames(tools.map((tool) => upstreamName(tool.name)))).has(name),
    isCustom: (name) => custom.has(name),
    isCustomCall: (callId) => customCalls.has(callId),
    answerTool
  }
}

/** The replaced names, in both directions. Legal names stay. */
const mended = (names: ReadonlyArray<string>) => {
  const toUpstream = new Map<string, string>()
  const toCaller = new Map<string, string>()
  const illegal = names.filter((name) => !legal.test(name))
  if (illegal.length === 0) return { toCaller, toUpstream }
  const kept = new Set(names)
  /** The last suffix given to each base name. */
  const numbers = new Map<string, number>()
  for (const name of illegal) {
    if (toUpstream.has(name)) continue
    const base =
      name
        .replaceAll(/[^A-Za-z0-9_-]/g, "_")
        .replace(/^(?=[0-9-])/, "_")
        .slice(0, 60) || "tool"
    let unique = base
    let number = numbers.get(base) ?? 1
    while (kept.has(unique) || toCaller.has(unique)) unique = `${base}_${++number}`
    numbers.set(base, number)
    toUpstream.set(name, unique)
    toCaller.set(unique, name)
  }
  return { toCaller, toUpstream }
}

/** Names with which no other one begins. */
const wholeNames = (names: ReadonlyArray<string>): ReadonlySet<string> => {
  // Names that begin with another one directly follow it.
  const sorted = [...new Set(names)].toSorted()
  return new Set(sorted.filter((name, index) => sorted[index + 1]?.startsWith(name) !== true))
}

/** For passthrough: nothing is renamed. */
export const noBack: Back = {
  upstreamName: (name) => name,
  callerName: (name) => name,
  isWholeName: () => false,
  isCustom: () => false,
  isCustomCall: () => false,
  answerTool: undefined
}

/** A free-text tool for dialects that only have functions. */
export const customParameters = {
  type: "object",
  properties: { input: { type: "string", description: "The tool's whole input, as plain text" } },
  required: ["input"],
  additionalProperties: false
} as const

/** The tool's description for the model. No upstream enforces the grammar, so it is described in words. */
export const customDescription = ({ description, grammar }: CustomTool, notes: Notes): JsonObject => {
  if (grammar === undefined) return description === undefined ? {} : { description }
  notes.adapt("tools[].format")
  const rule = `The input must match this ${grammar.syntax} grammar:\n${grammar.definition}`
  return { description: description === undefined ? rule : `${description}\n\n${rule}` }
}

export const wrapCustom = (input: string): string => JSON.stringify({ input })

/** The free text inside a wrapped call, even a cut one. Text that is not wrapped is returned unchanged. */
export const unwrapCustom = (wrapped: string): string => {
  const ends = ["", '"}', '\\"}']
  const whole = ends.map((end) => parseJson(wrapped + end)).find(isObject)
  return textAt(whole, "input") ?? wrapped
}

/** True if a call's arguments are not JSON, so they were cut. Empty means none needed. */
export const isCut = (text: string): boolean => text.trim() !== "" && parseJson(text) === undefined
