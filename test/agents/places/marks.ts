import type { Any } from "../../places/strict/rule.ts"

const textsIn = (value: Any): string => {
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map(textsIn).join("")
  if (value === null || typeof value !== "object") return ""
  const { arguments: args, content, input, name, text, toolResult, toolSpec, toolUse } = value
  return [
    toolSpec?.name ?? toolUse?.name ?? name,
    text,
    textsIn(content ?? toolResult?.content),
    textsIn(args ?? input ?? toolUse?.input)
  ]
    .filter((one) => one !== undefined)
    .join("")
}

/** Its beginning, as the caller had it: system text between turns is marked where a place has none there. */
const begin = (value: Any): string =>
  textsIn(value)
    .replace(/^<system>\n/, "")
    .slice(0, 120)

/** The blocks behind which a prompt is cached, by their beginnings: `cache_control` and `cachePoint`. */
export const marksIn = (body: Any): ReadonlyArray<string> => {
  const marks: Array<string> = []
  const visit = (value: Any): void => {
    if (Array.isArray(value)) {
      value.forEach((one, index) => {
        if (one?.cachePoint !== undefined) marks.push(begin(value[index - 1]))
        else visit(one)
      })
    } else if (value !== null && typeof value === "object") {
      if (value.cache_control !== undefined && value.cache_control !== null) marks.push(begin(value))
      for (const one of Object.values(value)) visit(one)
    }
  }
  visit(body)
  return marks.toSorted()
}

/** The kinds of files that a request shows. */
export const filesIn = (body: Any): ReadonlyArray<"image" | "PDF"> => {
  const text = JSON.stringify(body)
  return [
    ...(/"type":"(?:image|input_image|image_url)"|"image":\{|"mimeType":"image/.test(text) ? (["image"] as const) : []),
    ...(/"type":"(?:document|input_file|file)"|"document":\{|"mimeType":"application\/pdf/.test(text)
      ? (["PDF"] as const)
      : [])
  ]
}
