import type { JsonObject } from "../../../contract/fields.ts"
import { isObject, listAt, objectAt, textAt } from "../../../contract/json/json.ts"
import { jsonHint } from "../notes.ts"
import type { Provider } from "./Provider.ts"
import { thinkingFreely } from "./thinkingFreely.ts"

type Lost = (param: string) => void

/** A request with what the server takes for the model, translated or a caller's own. `lost` names what is left out. */
export const fitToPlace = (body: JsonObject, provider: Provider, lost: Lost): JsonObject => {
  const taken = withoutEffort(withoutRefused(seeded(body, provider), provider, lost), provider, lost)
  return thinkingFreely(formatted(taken, provider, lost), provider, lost)
}

/** With the server's name of the seed. */
const seeded = (body: JsonObject, { seed: name }: Provider): JsonObject => {
  const { seed, ...rest } = body
  return seed === undefined || name === "seed" ? body : { ...rest, [name]: seed }
}

/** Without the fields of the dialect that it answers 4xx to. */
const withoutRefused = (body: JsonObject, { refuses }: Provider, lost: Lost): JsonObject => {
  const refused = Object.keys(body).filter((name) => refuses.has(name) && (body[name] ?? undefined) !== undefined)
  if (refused.length === 0) return body
  for (const name of refused) lost(name)
  return Object.fromEntries(Object.entries(body).filter(([name]) => !refuses.has(name)))
}

/** Without an effort that the model does not have. */
const withoutEffort = (body: JsonObject, { knowsEfforts, reasoning }: Provider, lost: Lost): JsonObject => {
  const { reasoning_effort: effort, ...rest } = body
  if (effort === undefined || !knowsEfforts || reasoning.by !== "effort") return body
  if (reasoning.efforts.some((one) => one === effort)) return body
  lost("reasoning_effort")
  return rest
}

/** With the answer's format in words, where the server lacks it or refuses it beside tools. */
const formatted = (body: JsonObject, { format, formatsBesideTools }: Provider, lost: Lost): JsonObject => {
  const { response_format: wanted, ...rest } = body
  const type = textAt(wanted, "type")
  if (type !== "json_schema" && type !== "json_object") return body
  const isAlone = formatsBesideTools || listAt(body, "tools").length === 0
  const isKnown = format === "schema" || (format === "object" && type === "json_object")
  if (isAlone && isKnown) return format === "object" ? withWord(body) : body
  lost("response_format")
  const schema = objectAt(wanted, "json_schema")
  const hint = jsonHint(
    type === "json_schema"
      ? {
          type: "json-schema",
          name: "answer",
          description: undefined,
          schema: objectAt(schema, "schema") ?? {},
          strict: undefined
        }
      : { type: "json" }
  )
  const kept = isAlone && format === "object" ? { ...rest, response_format: { type: "json_object" } } : rest
  return { ...kept, messages: instructed(body, hint) }
}

/** With the word that a server wants beside JSON. */
export const withWord = (body: JsonObject): JsonObject =>
  /json/i.test(JSON.stringify(body["messages"]))
    ? body
    : { ...body, messages: instructed(body, jsonHint({ type: "json" })) }

/** The messages with words behind their first system text. */
const instructed = (body: JsonObject, words: string): ReadonlyArray<unknown> => {
  const [first, ...others] = listAt(body, "messages")
  if (isObject(first) && first["role"] === "system" && typeof first["content"] === "string") {
    return [{ ...first, content: `${first["content"]}\n\n${words}` }, ...others]
  }
  return [{ role: "system", content: words }, ...listAt(body, "messages")]
}
