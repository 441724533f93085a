import type { RequestView } from "../../src/requests/RequestView.ts"
import type { App } from "../app.ts"
import { servedModels } from "../upstreamSource.ts"

/** Each model's kind. Only operators can read it; others guess from the name. */
export const kindsOf = async (app: App): Promise<ReadonlyMap<string, string>> => {
  if (app.session.kind === "account") return new Map()
  const models = await servedModels(app).catch(() => [])
  return new Map(models.map(({ id, kind }) => [id, kind]))
}

/** The cost of a streamed request, a moment after its end. */
export const costOf = async (app: App, id: string): Promise<number | undefined> => {
  const base = app.session.kind === "operator" ? "/admin/v1/requests/" : "/v1/requests/"
  await new Promise((resolve) => setTimeout(resolve, 600))
  const request = await app.client.json<RequestView>(base + encodeURIComponent(id)).catch(() => undefined)
  return request?.cost_usd ?? undefined
}
