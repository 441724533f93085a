import type { App } from "../app.ts"
import type { Family } from "./draft.ts"
import { kindOf } from "./draft.ts"
import { actingKey } from "./send.ts"

/** The models of a kind that a key may use. */
export const modelsFor = async (app: App, family: Family, key: string) => {
  const { data } = await app.client.own(
    (own) => own.models.list({ urlParams: { kind: kindOf(family) } }),
    actingKey(app, key)
  )
  return data
    .map(({ id, owned_by, video }) => ({ id, isSandbox: owned_by === "sandbox", video }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1))
}
export type UsableModel = Awaited<ReturnType<typeof modelsFor>>[number]

/** The wished model if it is usable, otherwise the sandbox's, otherwise the first. */
export const chosenOf = (models: ReadonlyArray<UsableModel>, wished: string): string =>
  (models.find(({ id }) => id === wished) ?? models.find(({ id }) => id.startsWith("sandbox-")) ?? models[0])?.id ?? ""
