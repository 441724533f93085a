import { Context, Effect, Layer } from "effect"
import type { Types } from "effect"
import { Catalogue } from "../catalogue/Catalogue.ts"
import { Configuration } from "../config/Configuration.ts"
import type { BadSettings, Located } from "../config/document.ts"
import type { GatewayFile } from "../config/GatewayFile.ts"
import type { GuardrailEntry } from "../config/sections/Guardrail.ts"
import type { Caller } from "../contract/callers/Caller.ts"
import { Metrics } from "../telemetry/Metrics.ts"
import { Blocks } from "./Blocks.ts"
import type { Guard, GuardrailCall } from "./Guards.ts"

interface Serving {
  /** True if some model has any. */
  readonly haveModels: boolean
  /** The guardrails of a request: its model's, its account's and its key's; undefined if there are none. */
  readonly of: (
    caller: Pick<Caller, "guardrails" | "accountGuardrails">,
    model: string
  ) => ReadonlyArray<Guard> | undefined
  /** Counts a call, and keeps what it blocked. */
  readonly tell: (call: GuardrailCall) => void
}

/** The guardrails of the configuration, and who has which. A request without one pays three comparisons. */
export class Guardrails extends Context.Reference<Guardrails>()("gateway/guardrails/Guardrails", {
  defaultValue: (): Serving => ({ haveModels: false, of: () => undefined, tell: () => {} })
}) {
  static readonly layer = Layer.suspend(() => Layer.scoped(Guardrails, make))
}

const make = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  const configuration = yield* Configuration
  const blocks = yield* Blocks
  const { guardrailCalls, guardrailSeconds } = yield* Metrics
  let entries = new Map<string, GuardrailEntry>()

  /** Those of a model and of the models that may answer in its place, or in the place of those. */
  const ofModel = (id: string): ReadonlyArray<string> => {
    const found: Array<string> = []
    // A set's loop reaches what is added meanwhile.
    const ids = new Set([id])
    for (const one of ids) {
      const model = catalogue.get(one)
      found.push(...(model?.guardrails ?? []))
      for (const other of Object.values(model?.fallbacks ?? {}).flat()) ids.add(other)
    }
    return found
  }

  const serving: Types.Mutable<Serving> = {
    haveModels: false,
    of: ({ accountGuardrails, guardrails }, model) => {
      const names = new Set([
        ...(serving.haveModels ? ofModel(model) : []),
        ...(accountGuardrails ?? []),
        ...(guardrails ?? [])
      ])
      if (names.size === 0) return undefined
      return [...names].map((name) => ({ name, entry: entries.get(name) }))
    },
    tell: (call) => {
      const { guardrail, isEnforced, seconds, verdict } = call
      guardrailCalls.of(guardrail, verdict).add(1)
      guardrailSeconds.of(guardrail).observe(seconds)
      if (isEnforced && verdict === "blocked") blocks.blocked(call)
    }
  }

  yield* configuration.follow((file) =>
    Effect.as(check(file), () => {
      entries = new Map(Object.entries(file.value.guardrails ?? {}))
      serving.haveModels = Object.values(file.value.models ?? {}).some((model) => namesOf(model) !== undefined)
    })
  )

  return Guardrails.of(serving)
})

const namesOf = (model: unknown): unknown =>
  typeof model === "object" && model !== null && "guardrails" in model ? model.guardrails : undefined

/** Fails if an entry names a guardrail that there is none of. */
const check = (file: Located<GatewayFile>): Effect.Effect<void, BadSettings> => {
  const { accounts = {}, guardrails = {}, keys = [], models = {} } = file.value
  const named = [
    ...Object.entries(models).map(([id, model]) => [["models", id], model] as const),
    ...Object.entries(accounts).map(([id, account]) => [["accounts", id], account] as const),
    ...keys.map((key, index) => [["keys", index], key] as const)
  ]
  return Effect.forEach(
    named,
    ([path, entry]) => {
      const names = typeof entry === "object" && "guardrails" in entry ? (entry.guardrails ?? []) : []
      const unknown = names.find((name) => !Object.hasOwn(guardrails, name))
      return unknown === undefined
        ? Effect.void
        : Effect.fail(
            file.complain([...path, "guardrails"], `${path.join(".")}.guardrails: there is no guardrail ${unknown}`)
          )
    },
    { discard: true }
  )
}
