import { Context } from "effect"
import type { operationsOn } from "./operations.ts"

/** The operations of the gateway that a command works on. */
export class Operator extends Context.Tag("gateway/commands/operator/Operator")<
  Operator,
  ReturnType<typeof operationsOn>
>() {}
