import type { JsonObject } from "../contract/fields.ts"
import type { PassthroughRequest } from "./Upstream.ts"

/** The JSON of a body that was made of a request's; what is unchanged goes as the caller sent it, where that is known. */
export const serializeBody = ({ bodyText }: Pick<PassthroughRequest, "bodyText">, body: JsonObject): string =>
  bodyText === undefined ? JSON.stringify(body) : bodyText.write(body)
