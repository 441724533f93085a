import { Effect, Layer } from "effect"
import type { Context } from "effect"

/**
 * A service for tests with the given members. Using any other member dies and names it: calling a method, running an
 * effect or reading a value.
 */
export const testDouble = <Self, Service extends object>(
  tag: Context.Tag<Self, Service>,
  given: NoInfer<Partial<Service>>
): Layer.Layer<Self> => {
  const double = new Proxy(given, {
    get: (_, name) =>
      typeof name === "symbol" || name in given ? Reflect.get(given, name) : missingMember(`${tag.key}.${name}`)
  })
  // oxlint-disable-next-line typescript/consistent-type-assertions -- whatever is not there dies when it is used
  return Layer.succeed(tag, double as Service)
}

/** Stands in for a missing member: dies when it is called, run as an effect or read. */
export const missingMember = (name: string): (() => never) => {
  const error = new Error(`${name} was used, and this test does not supply it`)
  const effect = Effect.die(error)
  const die = (): never => {
    throw error
  }
  return new Proxy(die, {
    get: (_, property) =>
      property in effect ? Reflect.get(effect, property) : typeof property === "symbol" ? undefined : die(),
    has: (_, property) => property in effect
  })
}
