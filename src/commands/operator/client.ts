import type { HttpApi } from "@effect/platform"
import { Data } from "effect"
import type { Effect, Stream } from "effect"
import type { AdminApi } from "../../admin/Api.ts"
import type { LogQuery } from "../../admin/LogLines.ts"
import type { ConsoleApi } from "../../people/signIn/Api.ts"
import type { Failure } from "../../contract/failures/Failure.ts"
import type { JsonObject } from "../../contract/fields.ts"
import { callsBy } from "../../contract/handlers.ts"
import type { CallByName, Calls } from "../../contract/handlers.ts"

/** The database or the remote gateway can't be reached; the message has the address and the remedy. */
export class Unreachable extends Data.TaggedError("Unreachable")<{ readonly message: string }> {}

type GroupsOf<Api> = Api extends HttpApi.HttpApi<infer _Id, infer Groups, infer _E, infer _R> ? Groups : never
type Groups = GroupsOf<typeof AdminApi> | GroupsOf<typeof ConsoleApi>

/** The admin API, derived from its types: importing the contract itself would slow commands down. */
type AdminClient = Calls<Groups, Failure | Unreachable>

export const clientOf = (call: CallByName): AdminClient => callsBy<Groups, Failure | Unreachable>(call)

/** A gateway's admin API: elsewhere, or in this process on the gateway's database. */
export interface AdminGateway {
  readonly client: AdminClient
  /** The log's newest lines, followed by new ones. */
  readonly followLogs: (query: LogQuery) => Stream.Stream<JsonObject, Failure | Unreachable>
  /** True if a gateway serves now. */
  readonly isServed: Effect.Effect<boolean>
}
