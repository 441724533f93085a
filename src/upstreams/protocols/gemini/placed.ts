import type { Placeable, Placed } from "../../Endpoint.ts"

/** The path of a model's method. Listings write `models/` in front of a model's id. */
const methodPath = (model: string, method: string): string =>
  `/models/${encodeURIComponent(model.replace(/^models\//, "")).replaceAll("%40", "@")}:${method}`

/** A request whose path names the model and the way of answering. */
export const placed = ({ body, headers }: Placeable): Placed => {
  const { model, stream, ...rest } = body
  const method = stream === true ? "streamGenerateContent?alt=sse" : "generateContent"
  return { path: methodPath(String(model), method), body: rest, headers }
}
