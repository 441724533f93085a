import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt } from "../../../contract/json/json.ts"
import type { Gathering } from "../../passthrough/Dialect.ts"
import { addDetail } from "./reasoningDetails.ts"
import { continuedName } from "./calls.ts"

/** The chunks that a whole completion amounts to, without the end marker. */
export const asStream = (completion: JsonObject): ReadonlyArray<JsonObject> => {
  const { choices: _, usage, ...rest } = completion
  const head = { ...rest, object: "chat.completion.chunk" }
  const choices = listAt(completion, "choices").filter(isObject)
  return [
    ...choices.map(({ message, ...choice }, index) => ({
      ...head,
      choices: [{ index, ...choice, delta: delta(message), finish_reason: null }]
    })),
    ...choices.map(({ finish_reason, index: said }, index) => ({
      ...head,
      choices: [{ index: said ?? index, delta: {}, finish_reason }]
    })),
    ...(isObject(usage) ? [{ ...head, choices: [], usage }] : [])
  ]
}

/** Numbers the calls, because clients match the pieces of calls by index. */
const delta = (message: unknown): JsonObject => {
  const calls = listAt(message, "tool_calls").map((call, index) => (isObject(call) ? { index, ...call } : call))
  return { ...(isObject(message) ? message : {}), ...(calls.length > 0 && { tool_calls: calls }) }
}

/** Builds the completion that a stream amounts to. */
export const gathers = (): Gathering => {
  const choices = new Map<unknown, Grown>()
  const completion: Grown = {}
  let failed: JsonObject | undefined
  return {
    add: (chunk) => {
      if ((chunk["error"] ?? undefined) !== undefined || chunk["object"] === "error") failed ??= chunk
      const { choices: _, usage, x_groq, ...head } = chunk
      Object.assign(completion, head, usageOf(usage) ?? usageOf(objectAt({ x_groq }, "x_groq")?.["usage"]))
      for (const choice of listAt(withDeltas(chunk), "choices").flatMap(numbered)) {
        const known = choices.get(choice.index) ?? { index: choice.index }
        choices.set(choice.index, known)
        add(known, choice)
      }
    },
    whole: (isMarked) => {
      if (failed !== undefined) return failed
      const all = [...choices.values()].map(({ delta, ...choice }) => ({ ...choice, message: messageOf(delta) }))
      const isOver = isMarked || (all.length > 0 && all.every(isFinished))
      return isOver ? { ...completion, object: "chat.completion", choices: all } : undefined
    }
  }
}

const isFinished = (choice: object): boolean => typeof Reflect.get(choice, "finish_reason") === "string"

/** A chunk whose choices have their pieces under the usual name: a few servers write `message`. */
export const withDeltas = (chunk: JsonObject): JsonObject => {
  const choices = listAt(chunk, "choices")
  if (!choices.some(isMessage)) return chunk
  return { ...chunk, choices: choices.map((choice) => (isMessage(choice) ? renamed(choice) : choice)) }
}

const isMessage = (choice: unknown): choice is JsonObject =>
  isObject(choice) && isObject(choice["message"]) && !isObject(choice["delta"])

const renamed = ({ message: delta, ...choice }: JsonObject): JsonObject => ({ ...choice, delta })

const numbered = (choice: unknown, place: number) =>
  isObject(choice) ? [{ ...choice, index: choice["index"] ?? place }] : []

const usageOf = (usage: unknown) => (isObject(usage) ? { usage } : undefined)

type Grown = Record<string, unknown>

/** Fields that arrive in pieces. Other texts arrive whole. */
const pieces = new Set(["content", "refusal", "reasoning", "reasoning_content", "arguments", "data", "transcript"])

const joined = (name: string, before: string, value: string): string => {
  if (name === "name") return continuedName(before, value)
  return pieces.has(name) ? before + value : value
}

const add = (grown: Grown, more: JsonObject): void => {
  for (const name in more) {
    // Its value would be added to the prototype of all objects.
    if (name === "__proto__") continue
    const value = more[name]
    const before = grown[name]
    if (value === null || value === undefined) grown[name] ??= value
    else if (typeof value === "string") grown[name] = typeof before === "string" ? joined(name, before, value) : value
    else if (Array.isArray(value)) {
      const list: Array<unknown> = Array.isArray(before) ? before : []
      grown[name] = list
      for (const entry of value) {
        if (name === "reasoning_details") addDetail(list, entry)
        else addEntry(list, entry)
      }
    } else if (isObject(value)) {
      const inner: Grown = isObject(before) ? before : {}
      grown[name] = inner
      add(inner, value)
    } else grown[name] = value
  }
}

/** The position of each `index` in a list, which may differ from the index. */
const placesIn = new WeakMap<ReadonlyArray<unknown>, Map<unknown, number>>()

const addEntry = (list: Array<unknown>, entry: unknown): void => {
  if (!isObject(entry)) return void list.push(entry)
  const { index } = entry
  const places = placesIn.get(list) ?? new Map<unknown, number>()
  placesIn.set(list, places)
  const before = typeof index === "number" ? list[places.get(index) ?? -1] : undefined
  // A copy, because later chunks are added to it.
  const grown: Grown = isObject(before) ? before : {}
  if (grown !== before) places.set(index, list.push(grown) - 1)
  add(grown, entry)
}

/** Messages have no `index` in their calls, and null for empty content beside calls. */
const messageOf = (delta: unknown): JsonObject => {
  const { content = null, ...said } = isObject(delta) ? delta : {}
  const message = { role: "assistant", content, ...said }
  const calls = listAt(delta, "tool_calls").map((call) => {
    const { index: _, ...rest } = isObject(call) ? call : {}
    return rest
  })
  return calls.length === 0 ? message : { ...message, content: content === "" ? null : content, tool_calls: calls }
}
