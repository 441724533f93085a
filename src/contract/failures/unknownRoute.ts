import { UnknownRoute } from "./Failure.ts"
import { pathOf } from "../text/pathOf.ts"

/** Refuses a path that is no endpoint's, or another method on it. */
export const unknownRoute = (request: Request): UnknownRoute =>
  new UnknownRoute({
    message: `Invalid URL (${request.method} ${pathOf(request)}): this gateway does not serve this API`
  })
