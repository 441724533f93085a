import type { HttpApi, HttpApiGroup } from "@effect/platform"
import { Schema } from "effect"

/** `HttpApi.make` declares its own decode error for every endpoint; ours are the families' and nothing else. */
export const withoutDecodeError = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): HttpApi.HttpApi<Id, Groups> =>
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the class keeps E in its type only
  Object.assign(api, { errorSchema: Schema.Never }) as never
