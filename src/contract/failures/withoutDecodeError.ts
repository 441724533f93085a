import type { HttpApi, HttpApiGroup } from "@effect/platform"
import { Schema } from "effect"

/** Removes the decode error that `HttpApi.make` adds to every endpoint; the families declare their own errors. */
export const withoutDecodeError = <Id extends string, Groups extends HttpApiGroup.HttpApiGroup.Any, E, R>(
  api: HttpApi.HttpApi<Id, Groups, E, R>
): HttpApi.HttpApi<Id, Groups> =>
  // oxlint-disable-next-line typescript/consistent-type-assertions -- the class keeps E in its type only
  Object.assign(api, { errorSchema: Schema.Never }) as never
