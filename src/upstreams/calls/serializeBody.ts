import type { JsonObject } from "../../contract/fields.ts"
import type { PassthroughRequest } from "../Upstream.ts"

/**
 * Serializes a body that was derived from a request's. If the caller's text is known, unchanged parts are copied from
 * it.
 */
export const serializeBody = ({ bodyText }: Pick<PassthroughRequest, "bodyText">, body: JsonObject): string =>
  bodyText === undefined ? JSON.stringify(body) : bodyText.write(body)
