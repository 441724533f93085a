import { pixel } from "../upstreams/conversations.ts"

export type Body = Readonly<Record<string, unknown>>
export const schema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city"]
}
export const image = { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } }
export const gif = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
/** Stands for the server of files while a request is asked. */
export const fileServer = "http://files.test"
export const jpeg =
  "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAP//////////////////////////////////////////////////////////////////////////////////////wgALCAABAAEBAREA/8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxA="
export const u = (content: unknown) => ({ role: "user", content })
export const a = (content: unknown) => ({ role: "assistant", content })
export const pdf = Buffer.from(
  "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj 3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\ntrailer<</Root 1 0 R>>"
).toString("base64")
