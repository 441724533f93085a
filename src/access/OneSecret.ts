import { Effect, Layer, Redacted } from "effect"
import { BadSecret, MasterSecret } from "./MasterSecret.ts"
import { Node, SecretCheck } from "../cluster/Node.ts"

/** Refuses to start beside a node with another master secret on the same database. */
export const OneSecretLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const other = yield* Effect.orDie((yield* Node).stranger)
    if (other === undefined) return
    return yield* new BadSecret({
      message: `the gateway ${other} serves from the same database with another secret: give both the same GATEWAY_SECRET`
    })
  })
).pipe(Layer.provide(Node.Default))

/** Derives the value by which nodes compare their secrets. */
export const SecretCheckLive = Layer.effect(
  SecretCheck,
  Effect.map(MasterSecret, ({ derive }) => Buffer.from(Redacted.value(derive("nodes/secret-check"))).toString("hex"))
)
