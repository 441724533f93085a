import { list } from "./rule.ts"
import type { Any, Ask, Refusal } from "./rule.ts"

export const openaiDocs = "https://developers.openai.com/api"

/** none: no reasoning model. old: o-series and gpt-5, whose sampling is fixed. new: gpt-5.1 and later, where effort none frees it. */
export const kindOf = (model: string): "none" | "old" | "new" => {
  const id = model.toLowerCase().replace(/^.*\//, "")
  if (/^o[134](-|$)/.test(id)) return "old"
  const found = /^gpt-(\d)(?:\.(\d))?(.*)$/.exec(id)
  if (found === null || Number(found[1]) < 5 || /chat/.test(found[3] ?? "")) return "none"
  return Number(found[1]) === 5 && found[2] === undefined ? "old" : "new"
}

export const gptVersion = (model: string): number => Number(/gpt-(\d(?:\.\d)?)/.exec(model)?.[1] ?? 0)

export const effortOf = (ask: Ask): string | undefined => ask.body.reasoning_effort ?? ask.body.reasoning?.effort

export const fixed = (ask: Ask): boolean => {
  const kind = kindOf(ask.model)
  const usual = gptVersion(ask.model) >= 5.6 ? "medium" : "none"
  return kind === "old" || (kind === "new" && (effortOf(ask) ?? usual) !== "none")
}

export const unsupported = (param: string, more = ""): Refusal => ({
  says: `Unsupported parameter: '${param}' is not supported with this model.${more}`,
  param,
  code: "unsupported_parameter"
})

const inContext = (at: ReadonlyArray<string>): string =>
  `In context=(${at.map((name) => `'${name}'`).join(", ")}${at.length === 1 ? "," : ""}), `

export const itemsComplaint = (schema: Any, at: ReadonlyArray<string>): string | undefined => {
  if (schema === null || typeof schema !== "object") return undefined
  if (schema.type === "array" && schema.items === undefined) return `${inContext(at)}array schema missing items.`
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const found = itemsComplaint(inner, [...at, "properties", name])
    if (found !== undefined) return found
  }
  return schema.items === undefined ? undefined : itemsComplaint(schema.items, [...at, "items"])
}

export const strictComplaint = (schema: Any, at: ReadonlyArray<string>): string | undefined => {
  if (schema === null || typeof schema !== "object") return undefined
  const isObject = schema.type === "object" || list(schema.type).includes("object")
  if (isObject && schema.additionalProperties !== false)
    return `${inContext(at)}'additionalProperties' is required to be supplied and to be false.`
  const names = Object.keys(schema.properties ?? {})
  const missing = names.find((name) => !list(schema.required).includes(name))
  if (isObject && missing !== undefined)
    return `${inContext(at)}'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`
  for (const name of names) {
    const found = strictComplaint(schema.properties[name], [...at, "properties", name])
    if (found !== undefined) return found
  }
  if ("default" in schema) return `${inContext(at)}'default' is not permitted.`
  return schema.items === undefined ? undefined : strictComplaint(schema.items, [...at, "items"])
}
