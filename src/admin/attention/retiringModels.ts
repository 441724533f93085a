import { Effect } from "effect"
import { Catalogue } from "../../catalogue/Catalogue.ts"
import type { Model } from "../../catalogue/Catalogue.ts"
import { Configuration } from "../../config/Configuration.ts"
import { andMore, problem } from "./Problem.ts"
import type { Problem } from "./Problem.ts"

/** How long before its retirement a model is listed, in ms. */
const noticeMs = 30 * 86_400_000

/** Models that their providers retire soon: each that the configuration names, and those that upstreams list as one. */
export const makeRetiringModels = Effect.gen(function* () {
  const catalogue = yield* Catalogue
  const configuration = yield* Configuration

  return (nowMs: number): ReadonlyArray<Problem> => {
    const { models = {} } = configuration.current().value
    const soon = [...catalogue.values()].flatMap((model) => {
      const { aliasOf, facts, id } = model
      const day = facts.retires
      const isSoon = aliasOf === undefined && day !== undefined && Date.parse(day) - nowMs <= noticeMs
      return isSoon ? [{ day, id, model, isNamed: id in models }] : []
    })
    const listed = soon.filter(({ isNamed }) => !isNamed)
    const first = listed.map(({ day }) => day).toSorted()[0]
    return [
      ...soon
        .filter(({ isNamed }) => isNamed)
        .map(({ day, id, model }) => retiring(id, `${id}${behind(model, day)} retires on ${day}`, day)),
      ...(first === undefined
        ? []
        : [
            retiring(
              null,
              `${andMore(listed.map(({ id }) => id))}, listed by an upstream: the first retires on ${first}`,
              first
            )
          ])
    ]
  }
})

const retiring = (id: string | null, message: string, day: string) =>
  problem({
    what: "model",
    id,
    state: "retires",
    message,
    action: "Give it a route to another model before, or correct the day with `facts: { retires }` in gateway.yaml.",
    page: "models",
    dueAtMs: Date.parse(day)
  })

/** The model at its upstream that retires, where its name is another. */
const behind = ({ id, routes }: Model, day: string): string => {
  const route = routes.find(({ facts }) => facts?.retires === day) ?? routes[0]
  return route === undefined || route.model === id ? "" : ` (${route.upstream}/${route.model})`
}
