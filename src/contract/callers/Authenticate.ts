import type { Effect } from "effect"
import type {
  AuthInvalid,
  AuthMissing,
  Forbidden,
  RateLimited,
  Unavailable,
  UnknownRoute
} from "../failures/Failure.ts"

/** Finds the caller of a request to an operation, or refuses it. */
export type Authenticate<Caller> = (
  headers: Headers,
  knocking: { readonly request: Request; readonly server: Pick<Bun.Server<undefined>, "requestIP"> },
  /** The endpoint. */
  operation: { readonly group: string; readonly name: string }
) => Effect.Effect<Caller, AuthMissing | AuthInvalid | Forbidden | RateLimited | Unavailable | UnknownRoute>
