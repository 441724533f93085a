import { reachOf } from "../src/people/signIn/reach.ts"
import type { Operation } from "../src/people/signIn/reach.ts"
import type { Session } from "./session.ts"

/** True if the session's role reaches an operation; the gateway refuses it otherwise. */
export const reaches = ({ accounts, role }: Pick<Session, "role" | "accounts">, operation: Operation): boolean =>
  role === undefined || reachOf({ role, accounts: accounts ?? "all" }, operation) !== "none"
