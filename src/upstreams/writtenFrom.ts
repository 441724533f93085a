import type { JsonObject } from "../contract/fields.ts"
import type { NativeRequest } from "./Upstream.ts"

/** The JSON of a body that was made of a request's; what is unchanged goes as the caller sent it, where that is known. */
export const writtenFrom = ({ bodyText }: Pick<NativeRequest, "bodyText">, body: JsonObject): string =>
  bodyText === undefined ? JSON.stringify(body) : bodyText.write(body)
